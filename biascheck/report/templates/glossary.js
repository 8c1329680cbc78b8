/* Terms explain themselves on hover, focus and touch; without a script they are links to the same words. */
(function () {
  var tip = document.createElement("div"), shownFor = null, timer = 0, touched = false, explained = false;
  tip.id = "tip";
  tip.className = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;

  function meaning(term) {
    var entry = document.getElementById(term.getAttribute("href").slice(1));
    return entry ? entry.querySelector("dd").textContent : "";
  }
  function show(term) {
    clearTimeout(timer);
    var words = meaning(term);
    if (!words) return;
    hide();
    shownFor = term;
    tip.textContent = words;
    tip.hidden = false;
    term.setAttribute("aria-describedby", "tip");
    var box = term.getBoundingClientRect(), width = document.documentElement.clientWidth;
    var left = Math.max(8, Math.min(box.left, width - tip.offsetWidth - 8));
    var below = box.bottom + tip.offsetHeight + 8 < window.innerHeight;
    tip.style.left = left + "px";
    tip.style.top = (below ? box.bottom + 4 : Math.max(4, box.top - tip.offsetHeight - 4)) + "px";
  }
  function hide() {
    clearTimeout(timer);
    if (shownFor) shownFor.removeAttribute("aria-describedby");
    shownFor = null;
    tip.hidden = true;
  }
  function later() { timer = setTimeout(hide, 250); }

  document.body.append(tip);
  tip.addEventListener("mouseenter", function () { clearTimeout(timer); });
  tip.addEventListener("mouseleave", later);
  document.querySelectorAll("a.term").forEach(function (term) {
    term.addEventListener("mouseenter", function () { show(term); });
    term.addEventListener("mouseleave", later);
    term.addEventListener("focus", function () { if (!touched) show(term); });
    term.addEventListener("blur", later);
    term.addEventListener("pointerdown", function (event) {
      touched = event.pointerType === "touch";
      explained = shownFor === term;
    });
    term.addEventListener("click", function (event) {
      if (!touched) return;
      /* The first tap explains, the second follows the link. */
      if (!explained) { event.preventDefault(); show(term); }
    });
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") hide(); });
  window.addEventListener("scroll", function () { if (shownFor) later(); }, { passive: true });
})();
