"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 50; // rows of a table that are shown at a time
  document.documentElement.classList.add("with-script");

  // A cell's number: 4.5 % and 1.28e-05 as numbers, a dash as the least.
  const valueOf = (cell) => {
    const text = cell.textContent.trim();
    const number = Number.parseFloat(text.replace(/^[+±]\s*/, ""));
    return Number.isNaN(number) ? -Infinity : number;
  };

  const tables = new Map();
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    rows.forEach((row, place) => { row.line = place; });
    tables.set(table.id, { table, body, rows, shown: [...rows], page: 0, sorted: null });
  }

  function draw(state) {
    const pages = Math.max(1, Math.ceil(state.shown.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    state.body.replaceChildren(...state.shown.slice(state.page * PAGE, (state.page + 1) * PAGE));
    state.controls.hidden = pages === 1;
    state.where.textContent = `Page ${state.page + 1} of ${pages}`;
    state.previous.disabled = state.page === 0;
    state.next.disabled = state.page === pages - 1;
  }

  for (const state of tables.values()) {
    const button = (text, step) => {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "plain";
      made.textContent = text;
      made.addEventListener("click", () => { state.page += step; draw(state); });
      return made;
    };
    state.controls = document.querySelector(`[data-pages="${state.table.id}"]`);
    state.where = document.createElement("span");
    state.where.setAttribute("aria-live", "polite");
    state.previous = button("Previous", -1);
    state.next = button("Next", 1);
    state.controls.append(state.previous, state.where, state.next);
  }
  // Paper has no pages to turn to.
  window.addEventListener("beforeprint", () => {
    for (const state of tables.values()) state.body.replaceChildren(...state.shown);
  });
  window.addEventListener("afterprint", () => { for (const state of tables.values()) draw(state); });

  function order(state) {
    const first = state.rows[0] && state.rows[0].querySelector("[data-part=share], [data-part=error]");
    const worst = first && { column: first.cellIndex, down: true, named: false };
    if (!state.sorted && !worst) return;
    const { column, down, named } = state.sorted || worst;
    const compare = named
      ? (one, other) => one.cells[column].textContent.localeCompare(other.cells[column].textContent, "en", { numeric: true })
      : (one, other) => valueOf(one.cells[column]) - valueOf(other.cells[column]);
    const last = (row) => Number(!state.sorted && row.classList.contains("chosen")); // what is measured is known
    state.shown.sort(
      (one, other) => last(one) - last(other) || (down ? -1 : 1) * compare(one, other) || one.line - other.line,
    );
  }

  for (const state of tables.values()) {
    [...state.table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const named = head.classList.contains("name");
        const again = state.sorted && state.sorted.column === column;
        state.sorted = { column, named, down: again ? !state.sorted.down : !named };
        for (const other of state.table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", state.sorted.down ? "descending" : "ascending");
        state.page = 0;
        order(state);
        draw(state);
      });
    });
  }

  for (const input of document.querySelectorAll("input[data-table]")) {
    const state = tables.get(input.dataset.table);
    const found = document.querySelector(`[data-found="${input.dataset.table}"]`);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      const nameOf = (row) => (row.querySelector(".own-name") || row.cells[0]).textContent.toLowerCase();
      state.shown = state.rows.filter((row) => nameOf(row).includes(wanted));
      found.textContent = wanted ? `${state.shown.length} of ${state.rows.length}` : "";
      state.page = 0;
      order(state);
      draw(state);
    });
  }

  const fill = (state, parts, at, scale) => {
    if (!state || !parts) return;
    for (const row of state.rows) {
      for (const cell of row.querySelectorAll("[data-part]")) {
        cell.textContent = parts[cell.dataset.part][at][row.line];
      }
      const bar = row.querySelector(".bar > i");
      if (bar) bar.style.width = `${Math.min(100, Math.max(0, scale(row)))}%`;
    }
  };

  // The number of features moves all figures.
  function show(at) {
    const count = data.counts[at];
    for (const row of document.querySelectorAll("#answer-table tr[data-place]")) {
      row.hidden = Number(row.dataset.place) > count;
    }
    for (const cell of document.querySelectorAll(".of-number")) cell.hidden = at !== data.at;
    for (const place of document.querySelectorAll("[data-said]")) {
      place.textContent = data.said[place.dataset.said][at];
    }
    const marker = document.getElementById("curve-number");
    if (marker) marker.setAttribute("transform", `translate(${data.markers[at] - data.markers[data.at]} 0)`);
    const features = tables.get("features-table");
    fill(features, data.features, at, (row) => valueOf(row.querySelector("[data-part=share]")));
    for (const row of features ? features.rows : []) {
      const place = Number(row.dataset.place);
      const measured = place > 0 && place <= count;
      row.classList.toggle("chosen", measured);
      row.querySelector(".mark").hidden = !measured;
    }
    const tasks = tables.get("tasks-table");
    if (tasks && data.tasks) {
      const errors = data.tasks.error[at].map(Number.parseFloat).filter((value) => !Number.isNaN(value));
      const worst = Math.max(...errors, 1e-9);
      fill(tasks, data.tasks, at, (row) => 100 * valueOf(row.querySelector("[data-part=error]")) / worst);
    }
    fill(tables.get("new-table"), data.new, at, () => 0);
    for (const state of tables.values()) {
      order(state);
      draw(state);
    }
  }

  const slider = document.getElementById("count");
  if (slider) {
    const move = () => {
      const at = Number(slider.value);
      slider.setAttribute("aria-valuetext", String(data.counts[at]));
      document.getElementById("count-shown").textContent = String(data.counts[at]);
      show(at);
    };
    slider.addEventListener("input", move);
    document.getElementById("count-back").addEventListener("click", () => { slider.value = String(data.at); move(); });
  }
  for (const state of tables.values()) draw(state);
})();
