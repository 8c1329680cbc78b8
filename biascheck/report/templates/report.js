
"use strict";
(function () {
  var PAGE = 25, packed = null;

  function element(tag, kind, text) {
    var made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function figure(value) {
    if (Math.abs(value) < 1e-12) return "0.00";
    var text = Math.abs(value) >= 0.005 ? value.toFixed(2) : String(Number(value.toPrecision(1)));
    return text.replace("-", "−");
  }
  function signed(value) { return value <= -1e-12 ? figure(value) : "+" + figure(value); }
  function isolated(text) { return element("bdi", "", text); }
  function button(text, act) {
    var made = element("button", "", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  /* Small tables: every row is in the page, sorting moves it and filtering hides it. */
  function number(text) {
    var value = parseFloat(text.replace(/−/g, "-").replace(/[+,]/g, ""));
    return isNaN(value) ? null : value;
  }
  function compare(a, b) {
    var x = number(a), y = number(b);
    return x !== null && y !== null ? x - y : a.localeCompare(b);
  }
  function heads(table) { return Array.prototype.slice.call(table.tHead.rows[0].cells); }
  function mark(table, head, order) {
    heads(table).forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", order);
  }
  function wrap(head, act) {
    var made = button(head.textContent, act);
    head.textContent = "";
    head.appendChild(made);
  }
  function sortable(table) {
    var body = table.tBodies[0];
    heads(table).forEach(function (head, column) {
      if (head.tagName !== "TH") return;
      wrap(head, function () {
        var down = head.getAttribute("aria-sort") !== "descending";
        mark(table, head, down ? "descending" : "ascending");
        Array.prototype.slice.call(body.rows).sort(function (a, b) {
          return (down ? -1 : 1) * compare(a.cells[column].textContent, b.cells[column].textContent);
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
  }
  function searchField(name, act) {
    var label = element("label", "filter"), input = element("input"), status = element("span");
    input.type = "search";
    status.setAttribute("role", "status");
    label.append(name + " ", input, " ", status);
    input.addEventListener("input", function () { act(input.value.trim().toLowerCase(), status); });
    return label;
  }
  function filterable(table) {
    var field = searchField(table.dataset.filter, function (wanted, status) {
      var shown = 0;
      table.querySelectorAll("tbody tr:not(.group)").forEach(function (row) {
        row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;
        shown += row.hidden ? 0 : 1;
      });
      table.querySelectorAll("tr.group").forEach(function (group) {
        group.hidden = !group.parentNode.querySelector("tr:not(.group):not([hidden])");
      });
      status.textContent = wanted ? shown + " shown" : "";
    });
    var place = table.closest(".wide") || table;
    place.parentNode.insertBefore(field, place);
  }

  /* Items: packed data of all results, unpacked once, of which one page is in the document at a time. */
  function unpack() {
    if (packed) return packed;
    var text = document.getElementById("item-data").textContent;
    var bytes = Uint8Array.from(atob(text), function (letter) { return letter.charCodeAt(0); });
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    packed = new Response(stream).json();
    return packed;
  }
  function items(all, entry) {
    function numbers(column) { return all.columns[column]; }
    function words(column) {
      var index = 0;
      return numbers(column).map(function (step) { index += step; return all.strings[index]; });
    }
    return {
      id: words(entry.id), name: words(entry.name), score: numbers(entry.score),
      groups: entry.groups.map(function (group) {
        return {
          name: group.name, score: numbers(group.score), text: words(group.text),
          start: numbers(group.start), end: numbers(group.end)
        };
      }),
      labels: entry.labels.map(function (label) { return { name: label.name, values: words(label.values) }; })
    };
  }
  function haystack(data, i) {
    var words = [data.name[i], data.id[i]];
    data.groups.forEach(function (group) { words.push(group.text[i]); });
    data.labels.forEach(function (label) { words.push(label.values[i]); });
    return words.join("\n").toLowerCase();
  }
  function sentence(group, i) {
    var line = element("div", "sentence"), who = element("span", "who"), quote = element("q");
    var text = group.text[i], start = group.start[i], end = group.end[i];
    who.append(isolated(group.name), group.score[i] === null ? "" : " " + signed(group.score[i]));
    quote.dir = "auto";
    quote.append(text.slice(0, start), element("mark", "", text.slice(start, end)), text.slice(end));
    line.append(who, quote);
    return line;
  }
  function itemRow(data, i) {
    var row = element("tr"), head = element("th"), cell = element("td"), small = element("small");
    head.scope = "row";
    head.append(isolated(data.name[i]), " ", small);
    small.append(isolated(data.labels.filter(function (label) { return label.values[i]; }).map(function (label) {
      return label.name.replace(/_/g, " ") + " " + label.values[i];
    }).join(", ")));
    data.groups.filter(function (group) { return group.text[i]; }).forEach(function (group) {
      cell.append(sentence(group, i));
    });
    row.append(head, cell, element("td", "number", signed(data.score[i])));
    return row;
  }
  function itemTable(details, data) {
    var table = details.querySelector("table"), cells = heads(table), total = data.score.length;
    var order = [], matching = [], page = 0, texts = null, timer = 0, wanted = "";
    var status = element("span", "pages"), bar = element("div", "pager");
    for (var i = 0; i < total; i++) order.push(i);

    function show() {
      var last = Math.max(0, Math.ceil(matching.length / PAGE) - 1);
      page = Math.min(Math.max(page, 0), last);
      var rows = matching.slice(page * PAGE, (page + 1) * PAGE);
      table.tBodies[0].replaceChildren.apply(table.tBodies[0], rows.map(function (i) { return itemRow(data, i); }));
      status.textContent = matching.length
        ? (page * PAGE + 1).toLocaleString("en") + "–" + (page * PAGE + rows.length).toLocaleString("en") + " of " + matching.length.toLocaleString("en")
        : "nothing found";
      first.disabled = previous.disabled = page === 0;
      next.disabled = end.disabled = page === last;
    }
    function select() {
      if (wanted && !texts) texts = data.score.map(function (_, i) { return haystack(data, i); });
      matching = wanted ? order.filter(function (i) { return texts[i].indexOf(wanted) >= 0; }) : order;
      page = 0;
      show();
    }
    function turn(to) { return function () { page = to(page); show(); }; }
    function sortBy(key) { order.sort(function (a, b) { return key(a, b) || a - b; }); select(); }
    function byName(down) { return function (a, b) { return (down ? -1 : 1) * data.name[a].localeCompare(data.name[b]); }; }
    function byGap(down) { return function (a, b) { return (down ? -1 : 1) * (data.score[a] - data.score[b]); }; }
    function bySize(a, b) { return Math.abs(data.score[b]) - Math.abs(data.score[a]); }

    var first = button("First", turn(function () { return 0; }));
    var previous = button("Previous", turn(function (now) { return now - 1; }));
    var next = button("Next", turn(function (now) { return now + 1; }));
    var end = button("Last", turn(function () { return Infinity; }));
    status.setAttribute("role", "status");
    bar.append(first, previous, status, next, end);
    wrap(cells[0], function () {
      var up = cells[0].getAttribute("aria-sort") !== "ascending";
      mark(table, cells[0], up ? "ascending" : "descending");
      sortBy(byName(!up));
    });
    wrap(cells[2], function () {
      var now = { other: "descending", descending: "ascending" }[cells[2].getAttribute("aria-sort")] || "other";
      mark(table, cells[2], now);
      sortBy(now === "other" ? bySize : byGap(now === "descending"));
    });
    var field = searchField("Search names, labels and sentences", function (text) {
      clearTimeout(timer);
      timer = setTimeout(function () { wanted = text; select(); }, 150);
    });
    var place = details.querySelector(".wide");
    place.before(field);
    place.after(bar);
    table.caption.textContent = "Items, a page at a time";
    details.querySelector(".items-note").firstChild.textContent = total.toLocaleString("en") +
      " items, the largest gaps first. The word that is scored is marked; the number beside a group is its score. ";
    mark(table, cells[2], "other");
    sortBy(bySize);
  }
  function openItems(details) {
    if (details.dataset.ready || !details.open || !window.DecompressionStream) return;
    details.dataset.ready = "yes";
    unpack().then(function (all) {
      itemTable(details, items(all, all.results[details.dataset.result]));
    });
  }

  /* Results are closed until asked for; one button opens all of a paper. */
  function opener(section) {
    var results = section.querySelectorAll("details.result");
    if (results.length < 2) return;
    var made = button("Open all results", function () {
      var open = made.getAttribute("aria-expanded") !== "true";
      results.forEach(function (result) { result.open = open; });
      made.setAttribute("aria-expanded", String(open));
      made.textContent = open ? "Close all results" : "Open all results";
    });
    made.className = "open-all";
    made.setAttribute("aria-expanded", "false");
    section.querySelector(".measure").before(made);
  }
  function reveal() {
    var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    var body = target.querySelector(":scope > details");
    if (body && target.classList.contains("suite")) body.open = true;
    for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  }

  document.querySelectorAll("table[data-sort]").forEach(sortable);
  document.querySelectorAll("table[data-filter]").forEach(filterable);
  document.querySelectorAll("section.paper").forEach(opener);
  if (window.DecompressionStream) {
    document.querySelectorAll(".no-script").forEach(function (words) { words.hidden = true; });
  }
  document.querySelectorAll("details.items").forEach(function (details) {
    details.addEventListener("toggle", function () { openItems(details); });
  });
  window.addEventListener("hashchange", reveal);
  reveal();
})();
