"use strict";
// The blocks of an opened result, from data: the same that blocks.html.j2 writes. What comes from
// results becomes text and attributes, never markup.
const blocks = (() => {
  const LOOKS = new Set(["b", "bdi", "code", "small", "span", "strong"]);
  const MINUS = "\u2212", SPACE = "\u00a0";
  const UNSAFE = /[\0-\x08\x0b\x0c\x0e-\x1f]/g;
  const NUMBERS = /(\bd|\bp|error) ([=<>≤]) /g;
  const WHOLE = /((?:\b(?:AB|BA)-Divergent|\b[AB]-Uniform|\b[AB][XY]-Singular|\bNon-Directional)\b|(?<![\w.])\d(?:\.\d+)?e-0?\d+\b)/;
  const make = (name, kind, ...inside) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...inside);
    return made;
  };

  // Texts
  function unbroken(text) {
    return text.replace(NUMBERS, `$1${SPACE}$2${SPACE}`).split(WHOLE).map((part, i) => {
      if (i % 2 === 0) return part;
      const power = /^(.*)e-0?(\d+)$/.exec(part);
      return power ? make("span", "nb", `${power[1]} × 10`, make("sup", "", `−${power[2]}`)) : make("span", "nb", part);
    });
  }
  function signature(text) {
    const at = text.indexOf("(") + 1, [head, rest] = at ? [text.slice(0, at), text.slice(at)] : [text, ""];
    const parts = rest.split(/(?<=,)/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));
    return make("code", "", at && at <= 24 ? make("span", "nb", head) : head, ...parts);
  }
  function image([id, alt]) {
    const look = { class: "thumbnail", role: "img", "aria-label": alt, width: 32, height: 32, viewBox: "0 0 48 48" };
    return svg("svg", look, svg("use", { href: `#${id}` }));
  }
  function text(part, asItIs = false) {
    if (typeof part === "string") return asItIs ? [part.replace(UNSAFE, "\ufffd")] : unbroken(part.replace(UNSAFE, "\ufffd"));
    if (Array.isArray(part)) return part.flatMap((inner) => text(inner, asItIs));
    return Object.entries(part).flatMap(([look, inner]) => {
      if (look === "signature") return signature(inner);
      if (look === "image") return [" ", image(inner)];
      if (look === "br") return make("br");
      const [name, kind] = look.split(".");
      if (!LOOKS.has(name)) throw new Error(look);
      const made = make(name, kind, ...text(inner, asItIs || name === "bdi" || name === "code" || kind === "as"));
      if (look === "code" || look === "span.id") made.dir = "auto";
      return made;
    });
  }

  // Drawings, as the functions of eatlas.present.drawings make them
  const svg = (name, look = {}, ...inside) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(look)) if (value !== null && value !== "") made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };
  const short = (value) => `${Math.round(value * 100) / 100}`;
  const path = (d, kind, ...inside) => svg("path", { d, class: kind }, ...inside);
  // As Python writes it: to the even digit where a number is halfway between two.
  const effect = (value, decimals = 2) => {
    if (value === null) return "–";
    const size = Math.abs(value), even = 2 * Math.round((size * 10 ** decimals) / 2) / 10 ** decimals;
    const written = ((size * 2 ** (decimals + 1)) % 2 === 1 ? even : size).toFixed(decimals);
    return (value < 0 && Number(written) ? MINUS : "") + written;
  };
  const line = (said) => said.split(/([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/).map((part, i) => (i % 2 ? svg("tspan", { dy: "-0.35em", "font-size": "75%" }, [...part].map((digit) => "−0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit)]).join("")) : part));
  const label = (said, x, y, { size = 12, anchor = null, ...look } = {}) => svg("text", { x: short(x), y: short(y), "font-size": size, "text-anchor": anchor, ...look }, ...line(said));
  const aside = (said, x, y, { anchor = "middle", size = 11 } = {}) => (size === 11
    ? svg("text", { x: short(x), y: short(y), class: anchor === "middle" ? "t" : `t ${anchor[0]}` }, ...line(said))
    : label(said, x, y, { size, anchor, class: "eat-muted" }));
  const figure = (width, height, title, alt, kind, ...inside) => svg("svg", { viewBox: `0 0 ${short(width)} ${short(height)}`, role: "img", "aria-label": alt || title, class: kind }, svg("title", {}, title), ...inside);
  const small = (kind, axis, height, ...inside) => svg("svg", { class: `fig ${kind}`, width: axis.end + MARGIN, height, "aria-hidden": "true" }, ...inside);

  // Letters: their widths are estimated, as in eatlas.present.text
  function pixels(said, size) {
    let ems = 0;
    for (const char of said) {
      if (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{3fffd}]/u.test(char)) ems += 1.15;
      else if ("iljftrI.,:;'|!()[] ".includes(char)) ems += 0.36;
      else if ("mwMW@%—".includes(char)) ems += 0.92;
      else if (!/\p{M}/u.test(char)) ems += /\p{Lu}/u.test(char) ? 0.7 : 0.58;
    }
    return size * ems;
  }
  function lines(said, width, most, size) {
    const broken = [""];
    const fits = (part) => pixels(part, size) <= width;
    for (const word of said.split(/\s+/)) {
      const joined = `${broken.at(-1)} ${word}`.trimStart();
      if (fits(joined)) { broken[broken.length - 1] = joined; continue; }
      if (broken.at(-1)) broken.push("");
      let part = "";
      for (const char of word) {
        if (part && !fits(part + char)) { broken.splice(-1, 1, part, ""); part = ""; }
        part += char;
      }
      broken[broken.length - 1] = part;
    }
    if (broken.length <= most) return broken;
    const last = [...broken[most - 1]];
    while (last.length && !fits(`${last.join("").trimEnd()}…`)) last.pop();
    return [...broken.slice(0, most - 1), `${last.join("").trimEnd()}…`];
  }

  // Axes and marks
  const MARGIN = 8, ROW = 12, COLUMN = 176, LINE = 196;
  const MARKS = { level1: ["diamond", ""], "level2.X": ["circle", "x"], "level2.Y": ["square", "y"], over_attributes: ["triangle", "a"] };
  class Axis {
    constructor(low, high, step, start = 0, end = 1) { Object.assign(this, { low, high, step, start, end }); }
    static withMargin(values, start, end) {
      const low = Math.min(...values), high = Math.max(...values), room = 0.06 * (high - low) || 0.05;
      return new Axis(low - room, high + room, Axis.round(high - low), start, end);
    }
    static round(span) {
      const rough = span / 5, power = rough > 0 ? 10 ** Math.floor(Math.log10(rough)) : 0.1;
      return [1, 2, 5].map((m) => m * power).find((step) => step >= rough) ?? 10 * power;
    }
    on(start, end) { return new Axis(this.low, this.high, this.step, start, end); }
    at(value) { return this.start + ((value - this.low) / (this.high - this.low)) * (this.end - this.start); }
    ticks() {
      const first = Math.ceil(this.low / this.step - 1e-9), last = Math.floor(this.high / this.step + 1e-9);
      const decimals = Math.max(0, -Math.floor(Math.log10(this.step) + 1e-9));
      return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * this.step).map((value) => [this.at(value), effect(value, decimals)]);
    }
    ends() { return [this.low, this.high].map((end) => effect(end, Number.isInteger(end) ? 0 : 1)); }
  }
  const outline = (shape, x, y, size = 1) => {
    const r = short({ diamond: 4.6, square: 3.4, triangle: 4.2, circle: 3.8 }[shape] * size), [a, b] = [short(x), short(y)];
    if (shape === "diamond") return `M${a} ${short(y - r)}l${r} ${r}-${r} ${r}-${r}-${r}z`;
    if (shape === "square") return `M${short(x - r)} ${short(y - r)}h${2 * r}v${2 * r}h-${2 * r}z`;
    if (shape === "triangle") return `M${a} ${short(y - r)}l${r} ${short(1.7 * r)}h-${2 * r}z`;
    return `M${short(x - r)} ${b}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0z`;
  };
  // An effect size: its place, d, fill (null without a test), interval, whether it is adjusted.
  function mark([place, , fill], x, y) {
    if (fill === null) return path(outline("circle", x, y), "b");
    const [shape, colour] = MARKS[place] ?? ["circle", ""];
    return path(outline(shape, x, y, fill === "no" ? 0.65 : 1), ["m", fill, colour].filter(Boolean).join(" "));
  }
  function interval([place, , , low, high, adjusted], axis, y) {
    if (low === null) return [];
    const [first, last] = [low, high].map((value) => axis.at(Math.min(Math.max(value, axis.low), axis.high)));
    let drawn = `M${short(first)} ${y}H${short(last)}`;
    if (high > axis.high) drawn += "m-3-3l3 3-3 3";
    if (low < axis.low) drawn += `M${short(first + 3)} ${y - 3}l-3 3 3 3`;
    const middle = (low + high) / 2;
    if (adjusted && axis.low < middle && middle < axis.high) drawn += `M${short(axis.at(middle))} ${y - 3.5}v7`;
    return [path(drawn, `i ${(MARKS[place] ?? ["", ""])[1]}`.trim())];
  }
  const estimate = (shown, axis, y) => (shown[1] === null
    ? [label("–", axis.at(0), y + 4, { size: 11, anchor: "middle" })]
    : [...interval(shown, axis, y), mark(shown, axis.at(shown[1]), y)]);
  function stack(rows, axis) {
    const height = ROW * rows.length + 4;
    const ticks = path(axis.ticks().map(([x]) => `M${short(x)} 0v${height}`).join(""), "g");
    const zero = path(`M${short(axis.at(0))} 0v${height}`, "z");
    return [height, ticks, zero, ...rows.flatMap((row, i) => estimate(row, axis, 2 + ROW * (i + 0.5)))];
  }
  const pageAxis = (width = COLUMN) => {
    const [low, high, step] = JSON.parse(document.body.dataset.axis);
    return new Axis(low, high, step, MARGIN, MARGIN + width);
  };

  // The map of the words: crosses, marks, and as many names as fit, as in drawings/plane.py
  const AROUND = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1], [1, -0.6], [1, 0.6], [-1, -0.6], [-1, 0.6], [0.4, -1.3], [0.4, 1.3], [-0.4, -1.3], [-0.4, 1.3], [1.4, -1.6], [1.4, 1.6], [1.4, 0], [-1.4, -1.6], [-1.4, 1.6], [-1.4, 0], [0, -1.5], [0, 1.5]];
  const meets = ([left, upper, right, lower], boxes) => boxes.some(([x1, y1, x2, y2]) => !(x2 <= left || right <= x1 || y2 <= upper || lower <= y1));
  function corners(names, side, marks) {
    return names.map((name, i) => {
      const said = `closer to ${name}`, wide = Math.min(1.15 * pixels(said, 11), side - 16), room = Math.max(0, side - wide - 32);
      const spots = [];
      for (let y = 0; y <= room; y += 6) for (let x = 0; x + y <= room; x += 6) spots.push([x, y]);
      spots.sort((a, b) => Math.min(...a) - Math.min(...b) || a[0] + a[1] - b[0] - b[1]);
      const boxes = spots.map(([x, y]) => (i ? [side - 8 - x - wide, side - 20 - y, side - 8 - x, side - 4 - y] : [8 + x, 4 + y, 8 + x + wide, 20 + y]));
      return [said, boxes.find((box) => !meets(box, marks)) ?? boxes[0]];
    });
  }
  function plane({ test: [x, y, a, b], whole, unit, points, order }) {
    const side = 360, left = 46, lower = 40, upper = 8, names = { X: x, Y: y };
    const axis = Axis.withMargin(points.flatMap((point) => point.slice(2)), 0, side);
    const spots = points.map(([, , up, across]) => [Math.round(axis.at(across) * 10) / 10, Math.round((side - axis.at(up)) * 10) / 10]);
    const boxes = points.map(([, term], i) => { const room = term ? 4.5 : 8, [h, v] = spots[i]; return [h - room, v - room, h + room, v + room]; });
    const marks = points.map(([role, term, up, across], i) => {
      const [h, v] = spots[i], kind = role.toLowerCase();
      const about = svg("title", {}, `${term || `mean of ${names[role]}`}: ${effect(up, 3)} up, ${effect(across, 3)} across`);
      if (!term) return path(`M${short(h - 6)} ${v}h12M${h} ${short(v - 6)}v12`, `mean ${kind}`, about);
      return path(outline(role === "X" ? "circle" : "square", h, v), `dot ${kind}`, about);
    });
    const ticks = axis.ticks().flatMap(([at, number]) => [aside(number, at, side + 15), aside(number, -3, side - at + 4, { anchor: "end" })]);
    const halves = corners([a, b], side, boxes), taken = halves.map(([, box]) => box), texts = [];
    const means = Object.fromEntries(points.filter(([, term]) => !term).map(([role, , up, across]) => [role, [up, across]]));
    const far = ([role, , up, across]) => Math.hypot(up - means[role][0], across - means[role][1]);
    const outermost = points.map((_, i) => i).filter((i) => points[i][1]).sort((i, j) => far(points[j]) - far(points[i]));
    for (const i of order.length ? order : outermost) {
      const [role, name] = points[i], [h, v] = spots[i], wide = pixels(name, 11) * 0.94, half = 6.05;
      const others = [...taken, ...boxes.filter((_, j) => j !== i)];
      for (const [dx, dy] of AROUND) {
        const share = dx && dy ? 0.6 : 1, at = h + dx * 7.5 * share, middle = v + dy * (half + 4.5 * share);
        const from = at - (dx < 0 ? wide : dx ? 0 : wide / 2), box = [from, middle - half, from + wide, middle + half];
        if (Math.min(box[0], box[1]) < 0 || Math.max(box[2], box[3]) > side) continue;
        if ((box[0] + box[1] < side && side < box[2] + box[3]) || meets(box, others)) continue;
        taken.push(box);
        texts.push(svg("text", { x: Math.round(at), y: Math.round(middle + 3.85), "text-anchor": dx > 0 ? null : dx < 0 ? "end" : "middle", class: `word ${role.toLowerCase()}` }, name));
        break;
      }
    }
    const [[nearA, first], [nearB, second]] = halves;
    const square = svg("g", { transform: `translate(${left} ${upper})` },
      path(`M0 ${side}V0H${side}z`, "nearer"), svg("rect", { width: side, height: side, class: "frame" }),
      path(`M0 ${side}L${side} 0`, "fig-dashed"), ...ticks,
      aside(nearA, first[0], first[3] - 4, { anchor: "start" }), aside(nearB, second[2], second[3] - 4, { anchor: "end" }),
      aside(`${unit} with ${b}`, side / 2, side + 33),
      svg("g", { transform: `rotate(-90) translate(${-side / 2} -38)` }, aside(`${unit} with ${a}`, 0, 0)),
      ...marks, ...texts);
    const bare = unit.replace(/ \(.*/, "");
    const alt = Object.entries(means).map(([role, [up, across]]) => {
      const own = points.filter(([of, term]) => of === role && term), nearer = own.filter(([, , u, v]) => u > v).length;
      return `${whole[role]}: ${bare} ${effect(up, 3)} with ${whole.A}, ${effect(across, 3)} with ${whole.B}; ${nearer} of ${own.length} words are nearer to ${whole.A}`;
    });
    const title = `Each target word by its ${bare}s with ${whole.A} and ${whole.B}`;
    return figure(left + side + upper, upper + side + lower, title, `${alt.join(". ")}.`, "figure plane", square);
  }

  // Effect sizes without single terms, as in drawings/single.py
  const DRIVEN = { X: ["x", "circle"], Y: ["y", "square"], A: ["a", "triangle"], B: ["n", "diamond"] };
  function influence({ test, names, levels }) {
    const width = 520, column = 208, right = 14, parts = [], phrases = [];
    let [x, y] = [10, 4];
    for (const [role, [colour, shape]] of Object.entries(DRIVEN)) {
      const broken = lines(names[role], width - 46, 3, 14), wide = Math.max(...broken.map((part) => pixels(part, 14)));
      if (x > 10 && x + wide + 22 > width - right) [x, y] = [10, y + 14];
      parts.push(path(outline(shape, x + 5, y + 8, 0.8), `m on ${colour}`));
      broken.forEach((part, i) => parts.push(label(part, x + 14, (y += i ? 14 : 0) + 12, { size: 11, class: `fig-name ${colour}` })));
      x += wide + 24;
    }
    y += 18;
    for (const { title, name, d, all, most } of levels) {
      for (const part of lines(`${name}: d = ${effect(d)}`, width - 24, 3, 14)) parts.push(label(part, 10, y += 16, { "font-weight": 700 }));
      if (all > most.length) parts.push(label(`the ${most.length} most influential of ${all} terms`, 10, y += 15, { size: 11, class: "eat-muted" }));
      y += 6;
      const terms = most.map(([term, role, without]) => ({ term: lines(term, column - 18, 3, 12), role, without }));
      const axis = Axis.withMargin([d, ...most.map(([, , without]) => without)], column + 10, width - 84);
      const bottom = y + terms.reduce((sum, { term }) => sum + 14 * term.length + 5, 0);
      parts.push(path(axis.ticks().map(([at]) => `M${short(at)} ${y}V${bottom}`).join(""), "fig-grid"), ...axis.ticks().map(([at, number]) => aside(number, at, bottom + 16)));
      parts.push(path(`M${short(axis.at(d))} ${y}V${bottom}`, "fig-ink"));
      for (const { term, role, without } of terms.sort((first, second) => (first.without - second.without) * d)) {
        const [colour, shape] = DRIVEN[role], high = 14 * term.length + 5, middle = y + high / 2, at = axis.at(without);
        parts.push(
          ...term.map((part, i) => label(part, 10, middle + 4 - 7 * (term.length - 1) + 14 * i, { class: `fig-name ${colour}` })),
          path(`M${short(axis.at(d))} ${middle}H${short(at)}`, `i ${colour}`),
          path(outline(shape, at, middle), (without - d) * d < 0 ? `m on ${colour}` : `m ${colour}`),
          label(effect(without), width - right, middle + 4, { anchor: "end" }));
        y += high;
      }
      y += 26;
      phrases.push(`${title}, ${name}: d = ${effect(d)}; without ${most.slice(0, 3).map(([term, , without]) => `${term} ${effect(without)}`).join(", ")}`);
    }
    const key = lines("Filled: without the term, d is nearer to 0 or changes sign.", width - 24, 2, 11);
    parts.push(...key.map((part, i) => aside(part, 10, y + 14 + 15 * i, { anchor: "start" })));
    const alt = `Influence of single terms in ${test}. ${phrases.join(". ")}.`;
    return figure(width, y + 15 * key.length + 10, alt, alt, "figure", ...parts);
  }

  // The EAT-Map, as in drawings/eat_map.py
  function cell(x, y, width, height, look) {
    const inset = look === "on" ? 0 : 0.5, on = look === "on";
    const rect = svg("rect", { x: short(x + inset), y: short(y + inset), width: width - 2 * inset, height: height - 2 * inset, rx: 3, class: on ? "eat-on" : "eat-off", fill: on ? "#b3261e" : "#dfdfe4", stroke: on ? null : "#74747e" });
    if (look !== "hatched") return [rect];
    let strokes = "";
    for (let offset = 8; offset <= width + height; offset += 8) strokes += `M${short(x + Math.min(offset, width))} ${short(y + Math.max(0, offset - width))}L${short(x + Math.max(0, offset - height))} ${short(y + Math.min(offset, height))}`;
    return [rect, svg("path", { d: strokes, class: "eat-hatch", stroke: "#74747e", fill: "none" })];
  }
  function named(name, width, most, x, middle, anchor) {
    const broken = lines(name, width, most, 13), first = middle - ((broken.length - 1) * 16) / 2 + 4.55;
    const whole = broken.length > 1 || broken[0] !== name ? [svg("title", {}, name)] : [];
    return svg("g", { "font-weight": 600, "text-anchor": anchor }, ...whole, ...broken.map((part, i) => label(part, x, first + 16 * i, { size: 13 })));
  }
  function map({ test, alt, pattern, level1, names, columns, axis: scale, notes }) {
    const width = 428, left = 132, high = 78, gap = 4, wide = (width - left - gap - 16) / 2, middle = left + wide + gap / 2;
    const over = level1 ? lines(level1, width - 24, 3, 13) : [], top = 84 + 16 * over.length, under = top + 2 * high + gap, last = under + 106;
    const height = last + 24 + 15 * Math.max(0, notes.length - 2), axis = new Axis(...scale);
    const parts = [svg("rect", { width, height, class: "eat-paper" }), label(pattern, middle, 27, { size: 17, anchor: "middle", "font-weight": 700 }), ...over.map((part, i) => aside(part, width / 2, 48 + 16 * i, { size: 12 }))];
    ["A", "B"].forEach((role, i) => parts.push(named(names[role], left - 26, 4, left - 12, top + i * (high + gap) + high / 2, "end")));
    columns.forEach(({ role, state, d, p, cells, shown }, i) => {
      const x = left + i * (wide + gap), center = x + wide / 2, inside = [named(names[role], wide - 8, 2, center, top - 24, "middle")];
      ["A", "B"].forEach((attribute, row) => {
        const on = state === attribute, undef = state === "U", y = top + row * (high + gap), at = y + high / 2;
        inside.push(...cell(x, y, wide, high, on ? "on" : undef ? "hatched" : ""));
        if (undef) inside.push(svg("rect", { x: center - 42, y: at - 12, width: 84, height: 24, rx: 3, class: "eat-plate" }), aside("undefined", center, at + 4, { size: 12 }));
        else if (on) inside.push(label("● associated", center, at + 4.5, { size: 13, anchor: "middle", "font-weight": 600, class: "eat-on-text" }));
        if (cells[row]) inside.push(label(cells[row], center, at + (undef || on ? 24 : 4.5), { anchor: "middle", class: on ? "eat-on-text" : null }));
      });
      inside.push(label(d, center, under + 19, { size: 15, anchor: "middle", "font-weight": 600 }));
      if (p) inside.push(aside(p, center, under + 36, { size: 12 }));
      const own = axis.on(x + 8, x + wide - 8), y = under + 54, [lowest, highest] = own.ends(), ends = [[lowest, own.start], ["0", own.at(0)], [highest, own.end]];
      const ruler = path(`M${short(own.start)} ${y}H${short(own.end)}${ends.map(([, at]) => `M${short(at)} ${y - 4}v8`).join("")}`, "fig-line");
      ruler.setAttribute("stroke-opacity", "0.5");
      parts.push(svg("g", {}, ...inside), ruler, ...(shown[1] === null ? [] : estimate(shown, own, y)), ...ends.map(([number, at]) => aside(number, at, y + 20)));
    });
    parts.push(...notes.map((note, i) => aside(note, middle, last + 15 * i)));
    return figure(width, height, `EAT-Map of ${test}`, alt, "eat-map", ...parts);
  }

  const drawings = {
    plane, influence, map,
    ruler: () => { const axis = pageAxis(); return small("ruler", axis, 14, ...axis.ticks().map(([x, number]) => label(number, x, 11, { size: 10, anchor: "middle" }))); },
    interval: ({ shown }) => { const axis = pageAxis(), [height, ...parts] = stack([shown], axis); return small("interval", axis, height, ...parts); },
    glance: ({ rows }) => { const axis = pageAxis(LINE), [height, ...parts] = stack(rows, axis); return small("glance", axis, height, ...parts); },
    random: ({ shown: [place, d], low, high, beyond }) => {
      const axis = pageAxis(), [shape, colour] = MARKS[place] ?? ["circle", ""], [, ticks, zero] = stack([], axis);
      const [first, last, x] = [low, high, d ?? 0].map((value) => short(axis.at(Math.max(axis.low, Math.min(axis.high, value)))));
      return small("random", axis, 16, ticks, zero, path(`M${first} 5H${last}v6H${first}z`, "b"), path(outline(shape, Number(x), 8), ["m", beyond && "on", colour].filter(Boolean).join(" ")));
    },
    bar: ({ share, strong }) => {
      const long = short(Math.max(share * 150, 1));
      return svg("svg", { class: "fig bar w150", "aria-hidden": "true" }, path("M0 5H150", "g"), ...(share ? [path(`M0 0h${long}v10h-${long}z`, strong ? "b on" : "b")] : []));
    },
    mini: ({ states: [x, y] }) => svg("svg", { class: "mini", viewBox: "0 0 44 44", "aria-hidden": "true" }, svg("use", { href: `#eat-${x}` }), svg("use", { href: `#eat-${y}`, x: 22 })),
    svg: ({ svg: written }) => html(written),
  };
  const draw = (drawing) => (drawing ? [drawings[drawing.draw](drawing)] : []);

  // What a template of a package wrote, which escapes what comes from results.
  function html(written) {
    const made = document.createElement("template");
    made.innerHTML = written;
    return made.content;
  }
  function tableCell(given, name, kind) {
    const shown = given !== null && typeof given === "object" && "cell" in given ? given : { cell: given };
    const made = make(shown.blank ? "td" : name, shown.kind || kind, ...draw(shown.drawing), ...text(shown.cell));
    for (const key of ["rowspan", "colspan", "title", "lang"]) if (shown[key]) made.setAttribute(key, shown[key]);
    return [made, shown];
  }
  const ends = (pair) => `[${pair.map((end) => effect(end)).join(", ")}]`;
  // Cells that hold the numbers of the drawing before them
  const written = {
    interval: ({ shown: [, d, , low, high] }) => [[effect(d), { small: ends([low, high]) }]],
    random: ({ shown: [, d], low, high }) => [effect(d), ends([low, high])],
  };
  function table(block) {
    const head = make("thead", block.hidden ? "sr" : ""), body = make("tbody");
    for (const heads of block.heads) {
      head.append(make("tr", "", ...heads.map((given) => {
        const [made, shown] = tableCell(given, "th", "");
        if (!shown.blank) made.scope = shown.scope ?? "col";
        return made;
      })));
    }
    block.rows.forEach((row, i) => body.append(make("tr", i === block.own ? "own" : "", ...row.map((shown, column) => {
      const given = shown ?? written[row[1].drawing.draw](row[1].drawing)[column - 2];
      const [made] = tableCell(given, column ? "td" : "th", block.kinds?.[column]);
      if (!column) made.scope = "row";
      made.dir = "auto";
      return made;
    }))));
    const around = make("div", "scroll", make("table", block.kind, head, body));
    around.setAttribute("role", "region");
    around.setAttribute("aria-label", block.label);
    around.tabIndex = 0;
    return around;
  }
  const auto = (made) => { made.dir = "auto"; return made; };
  const makers = {
    p: (block) => auto(make("p", block.kind, ...text(block.text))),
    h4: (block) => make("h4", "", ...text(block.text)),
    ul: (block) => auto(make("ul", block.kind, ...block.items.map((item) => make("li", "", ...text(item))))),
    dl: (block) => make("dl", block.kind, ...block.items.map(([name, about]) => make("div", "", make("dt", "", ...text(name)), auto(make("dd", "", ...text(about)))))),
    fold: (block) => make("details", `fold ${block.kind}`.trim(), make("summary", "", ...text(block.text)), ...all(block.blocks)),
    figure: (block) => make("figure", block.kind, ...draw(block.drawing), ...(block.text === "" ? [] : [make("figcaption", "", ...text(block.text))])),
    html: (block) => html(block.html),
    table,
    claim: ({ tests: choices, states, table: numbers }) => {
      const boxes = choices.map(([bit, name]) => {
        const box = make("input");
        Object.assign(box, { type: "checkbox", value: bit, checked: true, autocomplete: "off" });
        return make("label", "", box, ` ${name}`);
      });
      const tests = make("fieldset", "tests", make("legend", "", "Tests that the verdicts use"), ...boxes, make("small", "", "Switch a test off to see what the others support."));
      const status = make("p", "sentence"), made = make("div", "claim", tests, table(numbers), status);
      status.setAttribute("role", "status");
      // Numbers of answers that results have in common, and the ends of the interval that is not adjusted
      made.states = states.map(([number, ...pair], i) => {
        const [at, says, fills] = shared.answers[number], shown = numbers.rows[i][1].drawing.shown;
        const [place, d, , low] = shown, axis = pageAxis(), y = 2 + ROW / 2, crossed = pair.length ? `not adjusted ${ends(pair)}` : effect(null);
        const marks = d === null ? null : fills.map((fill) => { const drawn = mark([place, d, fill], axis.at(d), y); return ["d", "class"].map((look) => drawn.getAttribute(look)); });
        const [line] = pair.length ? interval([place, d, "", ...pair], axis, y) : [];
        return { at, says, marks, line: line?.getAttribute("d") ?? "", crossed: low === null ? "" : crossed };
      });
      return made;
    },
    aside: (block) => auto(make("aside", block.kind, ...all(block.blocks))),
    div: (block) => auto(make("div", block.kind, ...all(block.blocks))),
  };
  const all = (given) => given.map((block) => makers[block.is](block));

  // Packs of results, and last the lines and rows that the page itself does not have.
  const packs = [...document.querySelectorAll("script.pack")], opened = new Map();
  let shared = {};
  async function inflate(number) {
    const bytes = Uint8Array.from(atob(packs[number].textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }
  const unpack = (number) => {
    if (!opened.has(number)) opened.set(number, inflate(number));
    return opened.get(number);
  };
  async function part(where) {
    const [number, place] = where.split(".");
    shared = await rest();
    return (await unpack(Number(number)))[place];
  }
  const rest = () => unpack(packs.length - 1);

  // The line of a finding and the row of a result, as findings.html.j2 and macros.html.j2 write them.
  const words = (part) => (typeof part === "string" ? part : (Array.isArray(part) ? part : Object.values(part)).map(words).join(" "));
  const link = (anchor, kind, ...inside) => {
    const made = make("a", kind, ...inside);
    made.href = `#${encodeURIComponent(anchor)}`;
    return made;
  };
  function finding(line) {
    const [title, ...others] = line.sentences, head = auto(make("h3", "", ...text(title)));
    head.id = line.anchor;
    head.tabIndex = -1;
    const said = make("div", "text", head, ...others.map((sentence) => auto(make("p", "alone", ...text(sentence)))), auto(make("p", "meta", ...text(line.meta))));
    const effects = make("div", "effects"), values = make("div", "values");
    if (line.sizes) effects.append(make("span", "sr", line.sizes));
    if (line.ends.length) effects.append(make("span", "ends", ...line.ends.map((end) => auto(make("span", "", end)))));
    effects.append(...draw(line.drawing), ...line.numbers.map(([what, number]) => make("span", "number", `${what} `, make("b", "", number))));
    const names = [...document.querySelectorAll(".line.heads .values span")].map((name) => name.textContent);
    line.values.forEach(([number, kind], i) => {
      const value = make("span", "value", make("span", "sr", `${names[i]}: `), kind === "missing" ? make("small", "", number) : make("span", kind, number));
      value.dataset.head = names[i];
      values.append(value);
    });
    if (line.reason) values.append(make("span", "reason", line.reason));
    const [before, after] = line.step, step = make("p", "step");
    if (before) step.append(link(before[0], "", "← ", make("bdi", "", before[1])));
    if (after) step.append(link(after[0], "next", make("bdi", "", after[1]), " →"));
    const body = make("div", "body", step), maps = line.mini ? make("span", "maps", ...draw(line.mini)) : make("span", "mini none");
    body.dataset.at = line.at;
    const article = make("article", "result", make("details", "fold finding-of", make("summary", "line", maps, said, effects, values), body));
    article.setAttribute("aria-labelledby", line.anchor);
    return article;
  }
  function row({ table: of, cells, line }) {
    const heads = [...of.tHead.rows].at(-1).cells;
    const made = make("tr", "", ...cells.map((shown, column) => {
      if (!column) {
        const head = auto(make("th", "", ...draw(line.mini), link(line.anchor, "", ...text(shown))));
        head.scope = "row";
        return head;
      }
      return heads[column].classList.contains("num") ? make("td", "num", ...text(shown)) : auto(make("td", "", ...text(shown)));
    }));
    made.dataset.result = line.anchor;
    return made;
  }
  return { all, part, rest, finding, row, words };
})();
