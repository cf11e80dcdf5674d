"""What a comment is, by its words: a question, a request, a nit, an objection, an approval, or information."""

from __future__ import annotations

import re

from reviewer.mail.replytags import reply_tags
from reviewer.model import CommentKind

_LONGEST = 4000
_BRIEF = 40
"""Words up to which a comment that says that all is well says nothing else."""
_APPROVING = frozenset({"Reviewed-by", "Acked-by", "Tested-by", "Reviewed-and-tested-by", "Acked-and-tested-by"})
_NIT = re.compile(
    r"(?:^|[\s(*\[])(?:nit(?:s|pick(?:ing|s)?)?|minor|typos?|bikeshed(?:ding)?|cosmetic)\b", re.IGNORECASE
)
_OBJECTION = re.compile(
    r"\bNO-?GO\b|\b(?:strictly|absolutely|completely) forbidden\b"
    r"|\b(?:strongly|firmly) (?:against|oppose|object|disagree)"
    r"|\bI (?:(?:really|strongly|still) )?(?:object|disagree|oppose)\b"
    r"|\bI (?:(?:really|still) )?(?:do not|don['’]t) (?:like|agree)\b(?![^.!?\n]{0,80}\beither\b)"
    r"|\bI (?:do not|don['’]t) think (?:this|that|it) is (?:right|correct|ok|a good)\b"
    r"|\b(?:this|that|it) (?:is|looks|seems) (?:(?:completely|just|plain|clearly|all) )?"
    r"(?:wrong|broken|bogus|racy|incorrect|unacceptable|a bad idea|not (?:right|correct|acceptable|allowed))\b"
    r"|\b(?:makes no sense|does(?: not|n['’]t) make (?:any |much )?sense)\b"
    r"|\b(?:is|are) (?:forbidden|illegal|not allowed)\b",
    re.IGNORECASE,
)
_DIRECT = re.compile(
    r"\b(?:please|pls|(?:can|could|would) you|you (?:should|must|need|have)|(?:must|should|needs? to|has to) be)\b",
    re.IGNORECASE,
)
_VERBS = (
    "add|use|drop|keep|move|remove|rename|make(?! sense)|call|put|split|fold|check|fix|avoid|replace|return|update"
    "|document|mention|explain|consider|try|skip|lock|set|pass|take|have|do|squash|merge|test|handle|convert"
    "|introduce|separate"
)
_REQUEST = re.compile(
    r"\b(?:should(?:n['’]t)?|must|ought to|needs? to|ha(?:s|ve) to|better to|how about|instead|missing|unneeded|unused"
    r"|not needed|no need|unnecessary|redundant|might make sense|would be (?:good|nice|better|great)|prefer|I recommend"
    r"|(?:can|could|may|might) (?:also |just |want to |we )?(?:" + _VERBS + r"))\b"
    r"|(?:^|[.,;:] )(?:(?:and|also|just|so|then|perhaps|maybe|rather|so if possible|let['’]s) )?(?:" + _VERBS + r")\b"
    r"|\b(?:I['’]d|I would|we should|let['’]s|perhaps|maybe|if possible) (?:rather |just |also )?(?:" + _VERBS + r")\b",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_APPROVAL = re.compile(
    r"\b(?:lgtm|sgtm|looks? (?:good|fine|ok|okay|great|sane|correct|reasonable|nice|right)|ship it|fair enough"
    r"|sounds? (?:good|great|fine|ok|okay|reasonable)|makes? (?:perfect |total |more )?sense(?! to(?! me\b))"
    r"|works for me|no (?:more |further )?(?:objections?|complaints?|comments)"
    r"|(?:I['’]m|I am) (?:ok|okay|fine|happy) with|perfectly correct)\b"
    r"|^(?:ack|agreed|thanks?|thank you|nice|great|cool|awesome|perfect|ok|okay|got it|yep|yes|right|good point)"
    r"\b[^?\n]{0,60}$",
    re.IGNORECASE | re.MULTILINE,
)
_WITHDRAWAL = re.compile(
    r"\b(?:never ?mind|nvm|ignore (?:me|my|this|that)|disregard|scratch that|strike that"
    r"|forget (?:it|about (?:it|that))"
    r"|I (?:was|am) (?:wrong|mistaken|confused)|my (?:bad|mistake)|I stand corrected|I misread|I misunderstood"
    r"|tak(?:e|ing) (?:that|it|this) back|withdraw(?:n|ing)? my|I retract|sorry for the noise|false alarm"
    r"|you(?:['’]re| are) right|I (?:overlooked|missed) (?:that|this|it))\b",
    re.IGNORECASE,
)
_PROMISE = re.compile(
    r"\b(?:will|I['’]ll|I can|can do|let me|sure|yes|yep|yeah|right|indeed|correct|agreed?|done|fixed|fixing|oops"
    r"|good (?:catch|point|idea|call|suggestion)|nice catch|sounds good|sgtm|ok|okay|true|makes sense"
    r"|next (?:version|revision)|thanks|thank you|my (?:bad|mistake)|ack|missed|should be|gotcha|got it|open to)\b",
    re.IGNORECASE,
)
_TAKEN_ON = (
    r"\b(?:I|we)(?:['’]ll| will| can| could|['’]ve| have)? (?:just )?"
    r"(?:fix|edit|tweak|drop|adjust|amend|correct|do|squash|fold|handle|make|add|remove|update)(?:e?d)?\b"
    r"[^.!?\n]{0,60}\b(?:while|when|as I|on|before|upon) (?:I )?(?:apply|merg|committ?|queu|pick|push)\w*"
    r"|\bno need (?:to|for a) (?:re-?(?:send|spin|post)|new version)\b"
)
_TAKEN_ON_HINTS = ("appl", "merg", "commit", "queu", "pick", "push", "no need")
_LEADS = re.compile(r"[^\n:]{0,60}:")
"""Words that lead to the next remark, such as `With a nit:`, and are none."""
_QUOTED = re.compile(
    r"\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`|https?://\S{1,500}|^\[\d{1,4}/\d{1,4}\] [^\n]{0,500}", re.MULTILINE
)
"""Words of others: what is quoted, links, and the titles that a mail of `b4 ty` lists."""


def kind_of(text: str) -> CommentKind:
    """The kind of a comment that is not the author's own; `text` are its words, tags included."""
    words = text[:_LONGEST]
    if objects_formally(words):
        return "objection"
    rest = _QUOTED.sub("", without_tags(words))
    if _LEADS.fullmatch(rest.strip()):
        rest = ""
    if _NIT.search(rest[:200]):
        return "nit"
    if _OBJECTION.search(rest):
        return "objection"
    asks = "?" in rest
    if _DIRECT.search(rest) or (not asks and _REQUEST.search(rest)):
        return "request"
    if asks:
        return "question"
    return "approval" if approves(words) else "information"


def approves(text: str) -> bool:
    """Whether the words give a tag of approval without a condition, or say in short that all is well."""
    words = text[:_LONGEST]
    if approves_formally(words):
        return True
    return len(words.split()) <= _BRIEF and _APPROVAL.search(words) is not None


def objects_formally(text: str) -> bool:
    """Whether the words hold a tag of objection or a NAK, which only their writer takes back."""
    return any(tag.objection for tag in reply_tags(text[:_LONGEST]))


def approves_formally(text: str) -> bool:
    """Whether the words give a tag of approval without a condition."""
    tags = reply_tags(text[:_LONGEST])
    return any(tag.name in _APPROVING and not tag.conditional and not tag.objection for tag in tags)


def takes_on(text: str) -> bool:
    """Whether the writer will mend it while applying, or asks for no new version because of it."""
    words = text[:_LONGEST]
    hinted = any(hint in words for hint in _TAKEN_ON_HINTS)  # most remarks need no such expression compiled
    return hinted and re.search(_TAKEN_ON, words, re.IGNORECASE) is not None


def withdraws(text: str) -> bool:
    """Whether the words take an earlier remark back."""
    return _WITHDRAWAL.search(text[:_LONGEST]) is not None


def promises(text: str) -> bool:
    """Whether an author's answer gives in, or says that something will be done."""
    return _PROMISE.search(text[:_LONGEST]) is not None


def without_tags(text: str) -> str:
    """The words without the lines that are tags."""
    tagged = {tag.body_line for tag in reply_tags(text)}
    return "\n".join(line for number, line in enumerate(text.split("\n"), 1) if number not in tagged)
