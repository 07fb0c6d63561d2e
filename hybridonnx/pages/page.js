"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const status = document.querySelector(".status");
  const tables = {};
  const AT_ONCE = 100; // rows that are shown, and added on demand: a browser lays out thousands slowly
  const WORTH_SEARCHING = 10;
  const LONG = 300; // characters of which a cell shows the beginning; the details have them all
  const SVG = "http://www.w3.org/2000/svg";

  /* Texts are only ever set as texts. */
  function make(name, attributes, ...content) {
    const node = name === "svg" || name === "rect" || name === "path"
      ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...content);
    return node;
  }

  function button(text, action, attributes = {}) {
    const node = make("button", { type: "button", ...attributes }, text);
    node.addEventListener("click", action);
    return node;
  }

  /* The number that a cell says; null where it says none. */
  function number(text) {
    const plain = text.replace(/[,%\s]/g, "");
    if (plain === "∞" || plain === "NaN") return Infinity;
    if (plain === "-∞") return -Infinity;
    const value = Number(plain);
    return plain === "" || Number.isNaN(value) ? null : value;
  }

  const shown = (text) => text.length > LONG ? `${text.slice(0, LONG).replace(/[\uD800-\uDBFF]$/, "")}…` : text;

  const count = (value) => value.toLocaleString("en-US");

  class Table {
    constructor(table) {
      this.table = table;
      this.body = table.tBodies[0];
      this.heads = [...table.tHead.rows[0].cells];
      this.rows = [...this.body.rows];
      this.names = this.rows.map((row) => row.cells[0].textContent);
      const minor = this.heads.some((head) => head.classList.contains("m"));
      this.whole = this.cutLong();
      this.more = data.tables[table.dataset.name] ?? (minor || this.whole.size ? { labels: [], details: [] } : null);
      this.keys = {};
      this.open = new Map();
      this.order = this.rows.map((_, i) => i);
      this.words = [];
      this.verdict = "";
      this.start = 0;
      this.limit = AT_ONCE;
      if (this.rows.length > 1) this.heads.forEach((head, i) => this.addSorting(head, i));
      this.box = table.closest(".scroll");
      if (this.rows.length > WORTH_SEARCHING) this.addTools();
      this.before = make("div", { class: "more" });
      this.box.before(this.before);
      this.rest = make("div", { class: "more" });
      this.printed = make("p", { class: "printed" });
      this.box.after(this.rest, this.printed);
      this.show();
    }

    /* Cells that would fill the screen show how they begin; what they were, by row. */
    cutLong() {
      const whole = new Map();
      this.rows.forEach((row, i) => {
        if (row.textContent.length <= LONG) return;
        const texts = [...row.cells].map((cell) => cell.textContent);
        if (texts.every((text) => text.length <= LONG)) return;
        whole.set(i, texts);
        texts.forEach((text, j) => {
          if (text.length > LONG) row.cells[j].textContent = shown(text);
        });
      });
      return whole;
    }

    /* Rows that have details get their buttons when they are first shown. */
    addButton(i) {
      const cell = this.rows[i].cells[0];
      if (!this.more || cell.firstElementChild) return;
      if (!this.facts(i).length && !this.more.bins?.[i]?.length) return;
      cell.replaceChildren(button(cell.textContent, () => this.toggle(i), { "aria-expanded": "false" }));
    }

    /* What the details of a row say: a name, a text, and whether narrow screens alone need it. */
    facts(i) {
      const texts = this.whole.get(i) ?? [...this.rows[i].cells].map((cell) => cell.textContent);
      const cells = this.heads.map((head, j) => [head, texts[j]]);
      const minor = cells.filter(([head, text]) => text && (text.length > LONG || head.classList.contains("m")))
        .map(([head, text]) => [head.textContent, text, text.length <= LONG && this.more.labels.length > 0]);
      const more = (this.more.details[i] ?? []).map((text, j) => [this.more.labels[j], text, false]);
      return [...minor, ...more.filter(([, text]) => text !== null && text !== "")];
    }

    addSorting(head, i) {
      head.replaceChildren(button(head.textContent, () => this.sort(i)));
      head.setAttribute("aria-sort", "none");
    }

    addTools() {
      const tools = make("div", { class: "tools" });
      const search = make("input", {
        type: "search", placeholder: "Search", "aria-label": `Search: ${this.table.caption.textContent}`,
      });
      search.addEventListener("input", () => {
        this.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.refresh();
      });
      tools.append(search);
      const column = this.heads.findIndex((head) => head.classList.contains("v"));
      if (column >= 0) this.addChoice(tools, column);
      this.counter = make("span", { class: "count" });
      tools.append(this.counter);
      this.box.before(tools);
      this.search = search;
    }

    addChoice(tools, column) {
      this.verdicts = this.rows.map((row) => row.cells[column].textContent);
      const title = this.heads[column].textContent;
      const known = [...new Set(this.verdicts)].sort();
      this.choice = make("select", { "aria-label": `Rows by ${title}` }, make("option", { value: "" }, `any ${title}`));
      for (const verdict of known) {
        const matches = this.verdicts.filter((v) => v === verdict).length;
        this.choice.append(make("option", { value: verdict }, `${verdict} (${count(matches)})`));
      }
      this.choice.addEventListener("change", () => {
        this.verdict = this.choice.value;
        this.refresh();
      });
      tools.append(this.choice);
    }

    refresh() {
      this.start = 0;
      this.limit = AT_ONCE;
      this.show();
      status.textContent = this.counter.textContent;
    }

    text(i) {
      this.texts ??= this.rows.map((row, j) => (this.whole.get(j)?.join(" ") ?? row.textContent).toLowerCase());
      return this.texts[i];
    }

    matches(i) {
      return (!this.verdict || this.verdicts[i] === this.verdict) && this.words.every((w) => this.text(i).includes(w));
    }

    show() {
      const chosen = this.words.length || this.verdict ? this.order.filter((i) => this.matches(i)) : this.order;
      const nodes = [];
      for (const i of chosen.slice(this.start, this.limit)) {
        this.addButton(i);
        nodes.push(this.rows[i]);
        if (this.open.has(i)) nodes.push(this.open.get(i));
      }
      this.body.replaceChildren(...nodes);
      const total = count(this.rows.length);
      if (this.counter) {
        this.counter.textContent = chosen.length === this.rows.length ? `${total} rows` : `${count(chosen.length)} of ${total} rows`;
      }
      this.addMore(chosen.length);
      const there = this.body.querySelectorAll("tr:not(.details)").length;
      this.printed.textContent = there === this.rows.length ? "" : `${count(there)} of ${total} rows are here.`;
      this.chosen = chosen;
    }

    addMore(length) {
      const hidden = length - this.limit;
      this.rest.replaceChildren();
      this.before.replaceChildren();
      if (this.start > 0) {
        this.before.append(button(`Show the ${count(this.start)} before`, () => {
          this.start = 0;
          this.show();
        }));
      }
      if (hidden <= 0) return;
      const grow = (by) => () => {
        const next = this.chosen[this.limit];
        this.limit += by;
        this.show();
        this.rows[next].querySelector("button")?.focus();
      };
      if (hidden > AT_ONCE) this.rest.append(button(`Show ${AT_ONCE} more`, grow(AT_ONCE)));
      this.rest.append(button(`Show the other ${count(hidden)}`, grow(hidden)));
    }

    sort(column) {
      const head = this.heads[column];
      const numeric = head.matches(".n, .p");
      const steps = numeric ? ["none", "descending", "ascending"] : ["none", "ascending", "descending"];
      const next = steps[(steps.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
      for (const other of this.heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", next);
      this.order = this.rows.map((_, i) => i);
      if (next !== "none") {
        const keys = (this.keys[column] ??= this.rows.map((row) => {
          const text = row.cells[column].textContent;
          return numeric ? number(text) : text;
        }));
        const sign = next === "ascending" ? 1 : -1;
        const compare = numeric ? (a, b) => a < b ? -1 : a > b ? 1 : 0 : new Intl.Collator("en", { numeric: true }).compare;
        this.order.sort((a, b) => {
          if (keys[a] === null || keys[b] === null) return (keys[a] === null) - (keys[b] === null);
          return sign * compare(keys[a], keys[b]) || a - b;
        });
      }
      this.start = 0;
      this.limit = AT_ONCE;
      this.show();
      status.textContent = next === "none" ? "in the first order" : `sorted by ${head.textContent}, ${next}`;
    }

    toggle(i, open = !this.open.has(i)) {
      const row = this.rows[i];
      this.addButton(i);
      const toggle = row.querySelector("button");
      if (!toggle) return;
      toggle.setAttribute("aria-expanded", String(open));
      if (open && !this.open.has(i)) {
        this.open.set(i, this.details(i));
        if (row.isConnected) row.after(this.open.get(i));
      } else if (!open && this.open.has(i)) {
        this.open.get(i).remove();
        this.open.delete(i);
      }
    }

    details(i) {
      const list = make("dl", {});
      for (const [title, text, narrow] of this.facts(i)) {
        list.append(make("div", { class: narrow ? "m" : "" }, make("dt", {}, title), make("dd", {}, text)));
      }
      const cell = make("td", { colspan: this.heads.length }, list);
      const [first, counts] = this.more.bins?.[i] ?? [];
      if (counts) cell.append(this.histogram(first, counts));
      return make("tr", { class: "details" }, cell);
    }

    histogram(first, counts) {
      const { length, ticks, histogram } = this.more;
      const most = Math.max(...counts);
      const bars = counts.map((value, j) => {
        const height = value ? Math.max(76 * value / most, 2) : 0;
        return make("rect", { x: (first + j) * 10 + 1, y: 80 - height, width: 8, height });
      });
      const total = counts.reduce((a, b) => a + b, 0);
      const picture = make("svg", {
        viewBox: `0 0 ${length * 10} 80`, preserveAspectRatio: "none", role: "img",
        "aria-label": `${histogram}, ${count(total)} elements`,
      }, ...bars);
      const labels = ticks.map(([place, text]) => {
        const x = place * length * 10;
        if (text === "1") picture.append(make("path", { d: `M${x} 0V80`, class: "limit" }));
        const label = make("span", {}, text);
        label.style.left = `${100 * place}%`;
        return label;
      });
      return make("figure", { class: "histogram" }, make("figcaption", {}, histogram), picture,
        make("div", { class: "ticks", "aria-hidden": "true" }, ...labels));
    }

    /* Show a row whatever is searched for, with its details, and go there. */
    reveal(i) {
      if (!this.chosen.includes(i)) {
        this.words = [];
        this.verdict = "";
        if (this.search) this.search.value = "";
        if (this.choice) this.choice.value = "";
        this.show();
      }
      const place = this.chosen.indexOf(i);
      if (place < this.start || place >= this.limit) {
        this.start = Math.max(place - AT_ONCE / 2, 0);
        this.limit = this.start + AT_ONCE;
      }
      this.body.querySelector(".chosen")?.classList.remove("chosen");
      if (this.more) this.toggle(i, true);
      this.show();
      this.rows[i].classList.add("chosen");
      this.rows[i].scrollIntoView({ block: "center" });
      this.rows[i].querySelector("button")?.focus({ preventScroll: true });
    }
  }

  class Plot {
    constructor(figure) {
      this.figure = figure;
      this.content = data.plots[figure.dataset.name];
      this.table = tables[this.content.table];
      this.charts = [...figure.querySelectorAll(".chart")];
      const shown = this.charts.find((chart) => !chart.hidden);
      this.scale = shown.dataset.scale;
      this.quantity = 0;
      this.at = null;
      this.length = Math.max(0, ...this.content.quantities.map((q) => Math.max(...q.values.map((v) => v.length))));
      this.addTools();
      this.readout = make("p", { class: "readout" }, this.hint());
      figure.append(this.readout);
      for (const chart of this.charts) this.listen(chart.querySelector(".canvas"));
    }

    hint() {
      return "Point at the chart, or focus it and use the arrow keys; a click or Enter shows the row.";
    }

    addTools() {
      const tools = make("div", { class: "tools" });
      const titles = [...new Set(this.charts.map((chart) => chart.dataset.title))];
      if (titles.length > 1) {
        const choice = make("select", { "aria-label": "What is shown" });
        titles.forEach((title, i) => choice.append(make("option", { value: i }, title)));
        choice.addEventListener("change", () => {
          this.quantity = Number(choice.value);
          this.show();
        });
        tools.append(choice);
      }
      this.buttons = ["logarithmic", "linear"].map((scale) => button(
        scale === "linear" ? "Linear" : "Logarithmic",
        () => {
          this.scale = scale;
          this.show();
        },
        { "aria-pressed": String(scale === this.scale), "data-scale": scale },
      ));
      tools.append(make("span", { role: "group", "aria-label": "Scale" }, ...this.buttons));
      this.figure.prepend(tools);
    }

    show() {
      for (const chart of this.charts) {
        chart.hidden = chart.dataset.scale !== this.scale || Number(chart.dataset.quantity) !== this.quantity;
      }
      for (const each of this.buttons) each.setAttribute("aria-pressed", String(each.dataset.scale === this.scale));
      if (this.at !== null) this.go(this.at);
    }

    listen(canvas) {
      if (!this.length) return;
      for (const [key, value] of Object.entries({
        role: "slider", tabindex: "0", "aria-label": canvas.querySelector("svg").getAttribute("aria-label"),
        "aria-valuemin": 1, "aria-valuemax": this.length, "aria-valuenow": 1, "aria-valuetext": this.hint(),
      })) canvas.setAttribute(key, value);
      const place = (event) => {
        const box = canvas.getBoundingClientRect();
        return Math.min(Math.max(Math.floor(this.length * (event.clientX - box.left) / box.width), 0), this.length - 1);
      };
      canvas.addEventListener("pointermove", (event) => this.go(place(event)));
      canvas.addEventListener("click", (event) => {
        this.go(place(event));
        this.table?.reveal(this.at);
      });
      canvas.addEventListener("focus", () => this.go(this.at ?? 0));
      canvas.addEventListener("keydown", (event) => this.press(event));
    }

    press(event) {
      const at = this.at ?? 0;
      const far = Math.max(Math.round(this.length / 10), 2);
      const next = {
        ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, PageUp: at + far, PageDown: at - far,
        Home: 0, End: this.length - 1,
      }[event.key];
      if (event.key === "Enter") this.table?.reveal(at);
      else if (next !== undefined) this.go(Math.min(Math.max(next, 0), this.length - 1));
      else return;
      event.preventDefault();
    }

    go(i) {
      this.at = i;
      const chart = this.charts.find((each) => !each.hidden);
      const canvas = chart.querySelector(".canvas");
      let cursor = canvas.querySelector(".cursor");
      if (!cursor) {
        cursor = make("div", { class: "cursor" });
        canvas.append(cursor);
      }
      cursor.style.left = `${100 * (i + 0.5) / this.length}%`;
      const { series, values } = this.content.quantities[this.quantity];
      const parts = series.map((title, j) => `${title} ${values[j][i]}`);
      const text = `${this.table ? shown(this.table.names[i]) : i + 1}: ${parts.join(", ")}`;
      this.readout.textContent = text;
      canvas.setAttribute("aria-valuenow", i + 1);
      canvas.setAttribute("aria-valuetext", text);
    }
  }

  try {
    for (const table of document.querySelectorAll("table[data-name]")) tables[table.dataset.name] = new Table(table);
    for (const figure of document.querySelectorAll("figure.plot")) new Plot(figure);
  } finally {
    document.documentElement.classList.remove("loading");
  }
})();
