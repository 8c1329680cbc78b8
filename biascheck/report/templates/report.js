
"use strict";
(function () {
  function number(text) {
    var value = parseFloat(text.replace(/−/g, "-").replace(/[+,]/g, ""));
    return isNaN(value) ? null : value;
  }
  function compare(a, b) {
    var x = number(a), y = number(b);
    return x !== null && y !== null ? x - y : a.localeCompare(b);
  }
  function sortable(table) {
    var heads = table.tHead.rows[0].cells, body = table.tBodies[0];
    Array.prototype.forEach.call(heads, function (head, column) {
      if (head.tagName !== "TH") return;
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") !== "descending";
        Array.prototype.forEach.call(heads, function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        Array.prototype.slice.call(body.rows).sort(function (a, b) {
          return (down ? -1 : 1) * compare(a.cells[column].textContent, b.cells[column].textContent);
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
  }
  function filterable(table) {
    var label = document.createElement("label"), input = document.createElement("input");
    var status = document.createElement("span");
    input.type = "search";
    status.setAttribute("role", "status");
    label.className = "filter";
    label.append(table.dataset.filter + " ", input, " ", status);
    table.parentNode.insertBefore(label, table);
    input.addEventListener("input", function () {
      var wanted = input.value.trim().toLowerCase(), shown = 0;
      table.querySelectorAll("tbody tr:not(.group)").forEach(function (row) {
        row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0;
        shown += row.hidden ? 0 : 1;
      });
      table.querySelectorAll("tr.group").forEach(function (group) {
        group.hidden = !group.parentNode.querySelector("tr:not(.group):not([hidden])");
      });
      status.textContent = wanted ? shown + " shown" : "";
    });
  }
  document.querySelectorAll("table[data-sort]").forEach(sortable);
  document.querySelectorAll("table[data-filter]").forEach(filterable);
})();
