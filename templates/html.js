"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const noted = all("[data-level], [data-state]");
  const notes = all("article.note");
  const patches = all(".patch[id]");
  const status = byId("shown");
  const help = byId("help");

  const chosen = (name) => new Set(all(`input[data-filter="${name}"]:checked`).map((box) => box.value));

  function apply() {
    const levels = chosen("level");
    const states = chosen("state");
    const select = document.querySelector('select[data-filter="rule"]');
    const rule = select ? select.value : "";
    for (const one of noted) {
      const { level, state } = one.dataset;
      one.hidden = level ? !levels.has(level) || (rule !== "" && one.dataset.rule !== rule) : !states.has(state);
    }
    const left = notes.filter((one) => !one.hidden).length;
    status.textContent = `${left} of ${notes.length} findings and comments shown`;
  }

  function reveal(target) {
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  }

  function show(target, block) {
    reveal(target);
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block });
  }

  // Where the reader is: what has the focus, else what was last gone to, else the top of the page.
  function place(list, last) {
    const focus = document.activeElement && document.activeElement !== document.body ? document.activeElement : last;
    if (!focus) return -1;
    const inside = list.findIndex((one) => one === focus || one.contains(focus));
    if (inside >= 0) return inside;
    const later = list.findIndex((one) => focus.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    return (later < 0 ? list.length : later) - 0.5;
  }

  let last = null;
  function go(list, step, block) {
    const at = place(list, last);
    const next = list[step > 0 ? Math.floor(at) + 1 : Math.ceil(at) - 1];
    if (next) {
      last = next;
      show(next, block);
    }
  }

  const visible = () => notes.filter((one) => !one.hidden);
  const keys = {
    j: () => go(visible(), 1, "center"),
    k: () => go(visible(), -1, "center"),
    n: () => go(patches, 1, "start"),
    p: () => go(patches, -1, "start"),
    "?": () => help.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input[type=text], select, textarea");
    if (typing || help.open || event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  function follow() {
    const target = location.hash.length > 1 && byId(location.hash.slice(1));
    if (!target) return;
    last = target;
    reveal(target);
    target.scrollIntoView({ block: target.matches("article.note") ? "center" : "start" });
  }

  byId("keys").addEventListener("click", () => help.showModal());
  byId("close").addEventListener("click", () => help.close());
  for (const control of all("[data-filter]")) control.addEventListener("change", apply);
  window.addEventListener("hashchange", follow);
  byId("filters").hidden = false;
  byId("filters").firstElementChild.open = matchMedia("(min-width: 1100px)").matches;
  apply();
  follow();
})();
