/* Filters over gates and results: by state, suite, model and text. They hide on the screen only; print has all. */
(function () {
  var place = document.querySelector("[data-filters]");
  if (!place) return;
  var rows = Array.prototype.slice.call(document.querySelectorAll("tr[data-state], details.result[data-state]"));
  var kinds = [
    { key: "state", name: "State", order: ["failed", "inconclusive", "accepted", "expected", "within", "no gate"] },
    { key: "suite", name: "Suite" },
    { key: "model", name: "Model" }
  ];
  var chosen = {}, fields = {}, status = document.createElement("span"), text, reset;

  function made(tag, kind, words) {
    var one = document.createElement(tag);
    if (kind) one.className = kind;
    if (words !== undefined) one.textContent = words;
    return one;
  }
  function values(row, key) { return key === "state" ? row.dataset.state.split("|") : [row.dataset[key]]; }
  function isGate(row) { return row.tagName === "TR"; }
  function options(kind) {
    var found = [];
    rows.forEach(function (row) {
      values(row, kind.key).forEach(function (value) { if (found.indexOf(value) < 0) found.push(value); });
    });
    return kind.order ? kind.order.filter(function (value) { return found.indexOf(value) >= 0; }) : found.sort();
  }
  function select(kind) {
    var known = options(kind), label = made("label", "", kind.name + " "), field = made("select");
    if (known.length < 2) return;
    field.append(new Option("all", ""));
    known.forEach(function (value) { field.append(new Option(value, value)); });
    field.addEventListener("change", function () { chosen[kind.key] = field.value; remember(); apply(); });
    field.dataset.key = kind.key;
    fields[kind.key] = field;
    label.append(field);
    place.append(label);
  }
  function matches(row) {
    var wanted = chosen.text ? chosen.text.toLowerCase() : "";
    return kinds.every(function (kind) {
      return !chosen[kind.key] || values(row, kind.key).indexOf(chosen[kind.key]) >= 0;
    }) && (!wanted || words(row).indexOf(wanted) >= 0);
  }
  function words(row) {
    if (!row.filterText) {
      row.filterText = ((isGate(row) ? row : row.querySelector("summary")).textContent + " " +
        (isGate(row) ? row.parentNode.rows[0].textContent : "")).toLowerCase();
    }
    return row.filterText;
  }
  function shown(inside, selector) { return Boolean(inside.querySelector(selector + ":not(.out)")); }
  function each(selector, act) { Array.prototype.forEach.call(document.querySelectorAll(selector), act); }
  function apply() {
    var active = Object.keys(chosen).some(function (key) { return chosen[key]; }), gates = 0, results = 0;
    rows.forEach(function (row) {
      var keep = matches(row);
      row.classList.toggle("out", !keep);
      if (keep) isGate(row) ? gates++ : results++;
    });
    each("#gates tbody", function (body) {
      body.rows[0].classList.toggle("out", !shown(body, "tr[data-state]"));
    });
    each("#gates .block:not(#cautions)", function (block) {
      var any = shown(block, "tr[data-state]");
      block.classList.toggle("out", !any);
      if (active && any && block.tagName === "DETAILS") block.open = true;
    });
    each(".suite .measure", function (measure) {
      measure.classList.toggle("out", active && !shown(measure, "details.result"));
    });
    each("section.suite", function (section) {
      var any = shown(section, "details.result");
      section.classList.toggle("out", !any);
      if (chosen.suite && any) section.querySelector("details").open = true;
      var listed = document.querySelector('#contents a[href="#' + section.id + '"]');
      if (listed) listed.parentNode.classList.toggle("out", !any);
    });
    status.textContent = active ? gates + (gates === 1 ? " gate, " : " gates, ") + results + (results === 1 ? " result" : " results") : "";
    reset.hidden = !active;
  }
  /* The choice is kept in the address, so that a filtered page can be sent as a link. */
  function remember() {
    var parts = Object.keys(chosen).filter(function (key) { return chosen[key]; }).map(function (key) {
      return key + "=" + encodeURIComponent(chosen[key]);
    });
    history.replaceState(null, "", "#" + (parts.length ? "show:" + parts.join("&") : "gates"));
  }
  function recall() {
    if (location.hash.indexOf("#show:") !== 0) return;
    location.hash.slice(6).split("&").forEach(function (part) {
      var at = part.indexOf("="), key = part.slice(0, at), value = "";
      try { value = decodeURIComponent(part.slice(at + 1)); } catch (damaged) { return; }
      if (key === "text") { chosen.text = text.value = value; return; }
      var field = fields[key];
      if (field && Array.prototype.some.call(field.options, function (one) { return one.value === value; })) {
        chosen[key] = field.value = value;
      }
    });
    document.getElementById("gates").scrollIntoView();
  }

  if (rows.length < 2) return;
  place.setAttribute("role", "search");
  place.setAttribute("aria-label", "Filter gates and results");
  kinds.forEach(select);
  var label = made("label", "", "Text ");
  text = made("input");
  text.type = "search";
  text.addEventListener("input", function () { chosen.text = text.value.trim(); remember(); apply(); });
  label.append(text);
  reset = made("button", "", "Show all");
  reset.type = "button";
  reset.addEventListener("click", function () {
    chosen = {};
    text.value = "";
    Object.keys(fields).forEach(function (key) { fields[key].value = ""; });
    remember();
    apply();
    text.focus();
  });
  status.setAttribute("role", "status");
  place.append(label, reset, status);
  if (document.getElementById("gates")) recall();
  window.addEventListener("hashchange", function () { if (document.getElementById("gates")) { recall(); apply(); } });
  apply();
})();
