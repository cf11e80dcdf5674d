"""Words that mean something to sparse, the compiler or the linker and nothing to the syntax."""

from __future__ import annotations

import re

from reviewer.code.lexical import blank

_WORD = re.compile(
    rb"\b(?:_{2}\w++|noinline\w*+|no(?:kprobe_inline|trace|instr)\b|asmlinkage\b|fastcall\b|randomized_struct_fields_\w++"
    rb"|INDIRECT_CALLABLE_SCOPE\b|[A-Z]\w*+_(?:ATTRIBUTE|ATTR|NOINLINE|INLINE)\b(?![ \t]*+\())"
)
_PLAIN = frozenset(
    b"__force __user __kernel __rcu __percpu __iomem __must_check __maybe_unused __always_unused __unused __used "
    b"__always_inline __no_inline __init __exit __initdata __initconst __exitdata __net_init __net_exit "
    b"__net_initdata __net_exitdata __init_or_module __initdata_or_module __ref __refdata __meminit __meminitdata "
    b"__meminitconst __memexit __cpuinit __devinit __devexit __devinitdata __init_memblock __head __sched __lockfunc "
    b"__read_mostly __ro_after_init __cold __hot __pure __attribute_const__ __packed __weak __visible __noreturn "
    b"__bitwise __nocast __safe __private __noscs __nocfi __noendbr __cpuidle __kprobes __irq_entry __softirq_entry "
    b"__bpf_kfunc __deprecated __latent_entropy __nonstring __counted __malloc __gnu_inline __flatten __naked "
    b"__randomize_layout __no_randomize_layout __designated_init __nosavedata __page_aligned_data "
    b"__page_aligned_bss __cacheline_aligned __cacheline_aligned_in_smp ____cacheline_aligned "
    b"____cacheline_aligned_in_smp ____cacheline_internodealigned_in_smp __capable __no_kasan_or_inline "
    b"__no_sanitize_address __no_sanitize_thread __no_sanitize_memory __no_sanitize_undefined __no_kcsan "
    b"__no_sanitize_or_inline __no_kmsan_checks __no_stack_protector __no_profile __noclone "
    b"__fix_address __ksym __arg_ctx __arg_nonnull __arg_trusted __extension__ __signed__ __hidden __kptr "
    b"__read_guarded __uptr __pcpu".split()
)
_CALLED = frozenset(
    b"__printf __scanf __aligned __alloc_size __realloc_size __section __must_hold __must_hold_shared __acquires "
    b"__acquires_shared __releases __releases_shared __cond_acquires __cond_acquires_shared __cond_releases "
    b"__no_context_analysis __guarded_by __pt_guarded_by __rcu_guarded __counted_by __counted_by_le "
    b"__counted_by_be __counted_by_ptr __sized_by __free __cleanup __attribute __attribute__ __assume_aligned "
    b"__no_sanitize __diagnose_as __copy __alias __nonnull __access "
    b"__context_unsafe".split()
)


def without_annotations(code: bytes, pairs: dict[int, int]) -> bytes:
    """`code` with every annotation blanked, its arguments too. `pairs` are its brackets."""
    whole: bytearray | None = None
    done = 0
    for match in _WORD.finditer(code):
        start, end = match.span()
        if start < done:
            continue
        word = match.group()
        if word in _CALLED:
            end = _behind_arguments(code, end, pairs)
            if not _annotates(code, start):
                continue
        elif (word.startswith(b"__") and word not in _PLAIN) or _is_name(code, end):
            continue
        if whole is None:
            whole = bytearray(code)
        whole[start:end] = blank(code[start:end])
        done = end
    return code if whole is None else bytes(whole)


def _behind_arguments(code: bytes, at: int, pairs: dict[int, int]) -> int:
    """Where the arguments behind `at` end; `at` when there are none, or when they are cut."""
    opener = at
    while opener < len(code) and code[opener] in b" \t":
        opener += 1
    return pairs.get(opener, at - 1) + 1


def _annotates(code: bytes, start: int) -> bool:
    """Whether a word with arguments at `start` is no call: nothing assigns it, and no bracket holds it."""
    at = start - 1
    while at >= 0 and code[at] in b" \t\n":
        at -= 1
    return at < 0 or code[at] not in b"=(!&|?"


def _is_name(code: bytes, end: int) -> bool:
    """Whether the word that ends at `end` is the name of something called or declared as a function."""
    while end < len(code) and code[end] in b" \t":
        end += 1
    return code[end : end + 1] == b"("
