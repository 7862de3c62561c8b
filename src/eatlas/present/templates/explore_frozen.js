"use strict";
// Effect sizes, exact p-values, EAT patterns and the board of changed words, from cosines alone.
globalThis.eatlasFrozen = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const ROLES = ["X", "Y", "A", "B"], TARGETS = ["X", "Y"], size = data.words.length;
  const place = new Map(data.words.map((word, i) => [word, i])), common = new Set(data.common);
  const bytes = Uint8Array.from(atob(data.cosines), (letter) => letter.charCodeAt(0));
  const cosines = new Float64Array(bytes.buffer), seen = new Set(), solved = new Map();

  // ---- numbers
  const total = (values) => values.reduce((sum, value) => sum + value, 0);
  const mean = (values) => total(values) / values.length;
  const grid = (rows, columns) => rows.map((row) => columns.map((column) => cosine(row, column)));

  function cosine(first, second) {
    const [i, j] = [place.get(first), place.get(second)].sort((a, b) => a - b);
    return i === j ? 1 : cosines[i * size - (i * (i + 1)) / 2 + j - i - 1];
  }

  // a word as this copy has it, in whatever case it was typed
  const cases = new Map(data.words.map((word) => [word.toLowerCase(), word]));
  const spelled = (word) => (place.has(word) ? word : cases.get(word.toLowerCase()) || word);

  function subsets(n, k) {
    let ways = 1;
    for (let i = 1; i <= k; i += 1) ways = (ways * (n - k + i)) / i;
    return Math.round(ways);
  }

  // sums of the subsets of one half, in ascending order, by the size of the subset
  function sums(values) {
    const by = [[0]];
    for (const value of values) {
      for (let k = by.length; k > 0; k -= 1) by[k] = (by[k] || []).concat(by[k - 1].map((sum) => sum + value));
    }
    return by.map((list) => Float64Array.from(list).sort());
  }

  // subsets of n values whose sum is t at least: each sum of the first half with all that reach t
  function reaching(halves, n, t) {
    let count = 0;
    for (const [k, first] of halves[0].entries()) {
      const second = halves[1][n - k];
      if (!second) continue;
      let j = second.length;
      for (const sum of first) {
        while (j > 0 && sum + second[j - 1] >= t) j -= 1;
        count += second.length - j;
      }
    }
    return count;
  }

  function permuted(first, second) {
    const all = [...first, ...second], middle = mean(all), n = first.length, ways = subsets(all.length, n);
    const values = all.map((value) => value - middle), observed = total(values.slice(0, n));
    const tie = all.length * data.tie, half = all.length >> 1;
    const halves = (sign) => [values.slice(0, half), values.slice(half)].map((part) => sums(part.map((value) => sign * value)));
    const up = halves(1), down = halves(-1), away = Math.abs(observed) - tie;
    const counts = {
      greater: reaching(up, n, observed - tie),
      less: reaching(down, n, -observed - tie),
      two_sided: away <= 0 ? ways : reaching(up, n, away) + reaching(down, n, away),
    };
    return { counts, total: ways, p: Object.fromEntries(Object.entries(counts).map(([tail, count]) => [tail, count / ways])) };
  }

  function compared(first, second) {
    const all = [...first, ...second], difference = mean(first) - mean(second);
    if (Math.max(...all) - Math.min(...all) <= data.spread) {
      const ways = subsets(all.length, first.length);
      return { d: null, total: ways, counts: { greater: ways, less: ways, two_sided: ways }, p: { greater: 1, less: 1, two_sided: 1 } };
    }
    const middle = mean(all), variance = total(all.map((value) => (value - middle) ** 2)) / (all.length - data.ddof);
    return { d: difference / Math.sqrt(variance), ...permuted(first, second) };
  }

  const tail = (level) => (data.two_sided ? "two_sided" : level.d > 0 ? "greater" : "less");
  const significant = (level) => level.d !== null && level.p[tail(level)] < data.alpha;

  // all that is found with four lists of words
  function measure(lists) {
    const key = JSON.stringify(lists);
    if (solved.has(key)) return solved.get(key);
    for (const [first, second] of ["XY", "AB"]) {
      const both = lists[first].filter((word) => lists[second].includes(word)), n = lists[first].length + lists[second].length;
      if (both.length) throw new Error(`${both.join(", ")}: on both sides, ${first} and ${second}; a word that is both cannot distinguish the two.`);
      if (n > data.most) throw new Error(`${first} and ${second} have ${n} words: more than ${data.most}, whose relabellings a page cannot count.`);
    }
    for (const role of ROLES) if (lists[role].length < 2) throw new Error(`${data.groups[role].name} has ${lists[role].length} words: each group needs two or more.`);
    const means = Object.fromEntries(["A", "B"].map((role) => [role, (word) => mean(lists[role].map((other) => cosine(word, other)))]));
    const leans = (role) => lists[role].map((word) => means.A(word) - means.B(word));
    const toward = (target, role) => lists[role].map((word) => mean(lists[target].map((other) => cosine(other, word))));
    const levels = { level1: compared(leans("X"), leans("Y")) }, pattern = {}, cells = {};
    for (const role of TARGETS) {
      const level = levels[`level2.${role}`] = compared(toward(role, "A"), toward(role, "B"));
      pattern[role] = significant(level) && Math.abs(level.d) > data.threshold ? (level.d > 0 ? "A" : "B") : null;
      for (const other of ["A", "B"]) cells[role + other] = mean(grid(lists[role], lists[other]).flat());
    }
    const found = { levels, pattern, cells, label: labelOf(pattern.X, pattern.Y), at: (word) => [means.A(word), means.B(word)] };
    solved.set(key, found);
    return found;
  }

  function labelOf(x, y) {
    if (x && y) return x === y ? `${x}-Uniform` : `${x}${y}-Divergent`;
    return x || y ? `${x ? `${x}X` : `${y}Y`}-Singular` : "Non-Directional";
  }

  // words without which the pattern, or what leads, is different; of long lists that takes too long
  function decisive(lists, now) {
    const { ahead } = finding(now), read = ({ label, levels: { level1 } }) => (ahead ? significant(level1) && Math.sign(level1.d) : label);
    if (Math.max(lists.X.length + lists.Y.length, lists.A.length + lists.B.length) > data.most_without) return [];
    return ROLES.flatMap((role) => lists[role].filter((word) => lists[role].length > 2 && read(measure({ ...lists, [role]: lists[role].filter((other) => other !== word) })) !== read(now)));
  }

  // ---- the finding: these words are the only check, so the verbs are those of a finding with no other
  function finding({ levels, pattern }) {
    const { groups } = data, name = (role) => groups[role].short, single = (role) => groups[role].goes;
    const claim = (place, roles, towards) => ({ place, roles, towards, holds: levels[place].p.two_sided < data.alpha });
    const alone = TARGETS.filter((role) => pattern[role]).map((role) => claim(`level2.${role}`, role, pattern[role]));
    const first = levels.level1, against = [];
    if (significant(first) || first.p.two_sided < data.alpha) against.push(claim("level1", "X", first.d > 0 ? "A" : "B"));
    const whole = (claims) => claims.every((each) => each.holds);
    const ahead = against.length && (!alone.length || (whole(against) && !whole(alone)));
    const verb = (each, one) => (each.holds ? `lean${one ? "s" : ""} towards` : "may go with");
    const said = (claims, both) => {
      const [x, y] = claims;
      if (!y) return `${name(x.roles)} ${verb(x, single(x.roles))} ${name(x.towards)}`;
      if (x.towards === y.towards && x.holds === y.holds) return `${both} ${name("X")} and ${name("Y")} ${verb(x, false)} ${name(x.towards)}`;
      const second = x.holds !== y.holds ? verb(y, single("Y")) : y.holds ? "towards" : "with";
      return `${name("X")} ${verb(x, single("X"))} ${name(x.towards)}; ${name("Y")} ${second} ${name(y.towards)}`;
    };
    const claims = ahead ? against : alone;
    let sentence = `No association of ${name("X")} or ${name("Y")} with ${name("A")} or ${name("B")} is shown`;
    if (ahead) {
      const also = alone.length ? `; alone, ${said(alone, "both")}` : "; not shown for either alone";
      sentence = `${name("X")} ${verb(against[0], single("X"))} ${name(against[0].towards)} more than ${name("Y")}${also}`;
    } else if (alone.length === 2) sentence = said(alone, "Both");
    else if (alone.length) {
      const rest = alone[0].roles === "X" ? "Y" : "X";
      sentence = said(alone) + (levels[`level2.${rest}`].d === null ? "" : `; for ${name(rest)}, neither is shown`);
    } else if (first.d === null) sentence = `The comparison of ${name("X")} with ${name("Y")} is undefined`;
    const p = claims.length ? Math.max(...claims.map((each) => levels[each.place].p.two_sided)) : Math.min(...Object.values(levels).map((level) => level.p.two_sided));
    return { ahead: ahead || !alone.length, sentence, grade: !claims.length ? "not shown" : whole(claims) ? "partly" : "doubtful", holds: claims.length > 0 && whole(claims), p };
  }

  // ---- numbers as readers want them
  const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const count = (n) => n.toLocaleString("en");
  const named = (role) => `<bdi>${escaped(data.groups[role].name)}</bdi>`;
  function effect(d, digits = 2) {
    if (d === null) return "–";
    const text = d.toFixed(digits);
    return (text.startsWith("-") && Number(text) !== 0 ? "−" : "") + text.replace("-", "");
  }
  function pValue(p) {
    if (p > 0.99) return p === 1 ? "p = 1" : "p > .99";
    let digits = 1;
    while (digits < 17 && Number(p.toExponential(digits)) < data.alpha !== p < data.alpha) digits += 1;
    const [mantissa, power] = p.toExponential(digits).split("e");
    if (Number(`${mantissa}e${power}`) < 1e-3) return `p = <span class="nb">${mantissa} × 10<sup>−${-power}</sup></span>`;
    return `p = ${Number(`${mantissa}e${power}`).toFixed(digits - power).replace(/^0/, "")}`;
  }

  // ---- marks: a diamond, a circle, a square
  function outline(shape, x, y, part = 1) {
    const r = { level1: 4.6, X: 3.8, Y: 3.4 }[shape] * part;
    if (shape === "level1") return `M${x} ${y - r}l${r} ${r}-${r} ${r}-${r}-${r}z`;
    if (shape === "Y") return `M${x - r} ${y - r}h${2 * r}v${2 * r}h-${2 * r}z`;
    return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0z`;
  }
  const shapeOf = (at) => at.at(-1) === "1" ? "level1" : at.at(-1);

  function drawn(at, now, was, limit) {
    const [start, wide, y] = [8, 104, 11], x = (d) => (start + ((d + limit) / (2 * limit)) * wide).toFixed(1);
    const shape = shapeOf(at), colour = shape === "level1" ? "" : ` ${shape.toLowerCase()}`;
    let marks = "";
    for (let tick = -Math.floor(limit); tick <= limit; tick += 1) marks += `<path class="${tick ? "g" : "z"}" d="M${x(tick)} 0V22"/>`;
    if (was.d !== null && now.d !== null && was.d !== now.d) marks += `<path class="trail" d="M${x(was.d)} ${y}H${x(now.d)}"/><path class="m ghost${colour}" d="${outline(shape, Number(x(was.d)), y)}"/>`;
    if (now.d !== null) marks += `<path class="m${significant(now) ? " on" : ""}${colour}" d="${outline(shape, Number(x(now.d)), y)}"/>`;
    return `<svg width="120" height="22" viewBox="0 0 120 22" class="fig interval" aria-hidden="true">${marks}</svg>`;
  }

  // ---- the map of the words
  const pen = document.createElement("canvas").getContext("2d");
  function map(lists, now, groups, before) {
    const side = 360, half = 6, off = [], on = [], middles = [];
    const centre = (places) => [0, 1].map((i) => mean(places.map((at) => at[i])));
    for (const role of TARGETS) {
      groups[role].words.forEach((word, i) => {
        if (!place.has(word)) return;
        const point = { role, word, id: `${role}${i}`, at: now.at(word), was: groups[role].original.includes(word) && before.at(word) };
        (lists[role].includes(word) ? on : off).push(point);
      });
      middles.push({ role, word: "", at: centre(lists[role].map(now.at)), was: before.middles[role] });
    }
    const values = [...on, ...off, ...middles].flatMap((point) => [...point.at, ...(point.was || [])]);
    let [low, high] = [Math.min(...values), Math.max(...values)];
    const step = [1, 2, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10((high - low) / 5))).find((m) => m >= (high - low) / 5);
    const room = 0.06 * (high - low) || 0.05;
    [low, high] = [low - room, high + room];
    const at = (value) => ((value - low) / (high - low)) * side;
    const spot = ([a, b]) => [at(b), side - at(a)].map((pixel) => Math.round(pixel * 10) / 10);
    const meets = ([x1, y1, x2, y2], boxes) => boxes.some((box) => x1 < box[2] && box[0] < x2 && y1 < box[3] && box[1] < y2);
    const boxed = (pair, r) => { const [x, y] = spot(pair); return [x - r, y - r, x + r, y + r]; };
    const moved = (point) => point.was && Math.hypot(...spot(point.was).map((pixel, i) => pixel - spot(point.at)[i])) > 1.4;
    const pale = [...on, ...off, ...middles].filter(moved), all = [...on, ...middles];
    const covered = [...off.map((point) => boxed(point.at, 4)), ...pale.map((point) => boxed(point.was, 4))];
    const boxes = new Map(all.map((point) => [point, boxed(point.at, point.word ? 4.5 : 8)]));
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const wide = (text) => pen.measureText(text).width;
    let svg = `<path class="nearer" d="M0 ${side}V0H${side}z"/><rect class="frame" width="${side}" height="${side}"/><path class="fig-dashed" d="M0 ${side}L${side} 0"/>`;
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (let n = Math.ceil(low / step - 1e-9); n <= Math.floor(high / step + 1e-9); n += 1) {
      const pixel = at(n * step).toFixed(1), text = effect(n * step, digits);
      svg += `<text class="t" x="${pixel}" y="${side + 15}">${text}</text><text class="t e" x="-3" y="${side - pixel + 4}">${text}</text>`;
    }
    const taken = [...covered];
    for (const [role, turned] of [["A", false], ["B", true]]) {
      const text = `closer to ${data.groups[role].name}`, w = Math.min(wide(text), side - 16), free = Math.max(0, side - w - 32), places = [];
      for (let y = 0; y <= free; y += 6) for (let x = 0; x + y <= free; x += 6) places.push([x, y]);
      places.sort((a, b) => Math.min(...a) - Math.min(...b) || a[0] + a[1] - b[0] - b[1]);
      const box = ([x, y]) => (turned ? [side - 8 - x - w, side - 20 - y, side - 8 - x, side - 4 - y] : [8 + x, 4 + y, 8 + x + w, 20 + y]);
      const best = places.map(box).find((each) => !meets(each, [...boxes.values(), ...covered])) || box([0, 0]);
      taken.push(best);
      svg += `<text class="t ${turned ? "e" : "s"}" x="${best[turned ? 2 : 0].toFixed(1)}" y="${(best[3] - 4).toFixed(1)}">${escaped(text)}</text>`;
    }
    svg += `<text class="t" x="${side / 2}" y="${side + 33}">mean cosine with ${escaped(data.groups.B.name)}</text>`;
    svg += `<g transform="rotate(-90) translate(${-side / 2} -38)"><text class="t" x="0" y="0">mean cosine with ${escaped(data.groups.A.name)}</text></g>`;
    const cross = ([x, y]) => `M${x - 6} ${y}h12M${x} ${y - 6}v12`;
    for (const point of pale) {
      const [x, y] = spot(point.was), [toX, toY] = spot(point.at), kind = point.role.toLowerCase();
      svg += `<path class="trail ${kind}" d="M${x} ${y}L${toX} ${toY}"/><path class="${point.word ? "" : "mean "}ghost ${kind}" d="${point.word ? outline(point.role, x, y, 0.6) : cross([x, y])}"/>`;
    }
    for (const point of [...off, ...all]) {
      const title = `${point.word || `mean of ${data.groups[point.role].name}`}: ${effect(point.at[0], 3)} up, ${effect(point.at[1], 3)} across${off.includes(point) ? ", switched off" : ""}`;
      const kind = `${point.word ? "dot" : "mean"} ${point.role.toLowerCase()}${off.includes(point) ? " off" : ""}`;
      svg += `<path class="${kind}"${point.id ? ` data-word="${point.id}"` : ""} d="${point.word ? outline(point.role, ...spot(point.at)) : cross(spot(point.at))}"><title>${escaped(title)}</title></path>`;
    }
    const far = (point) => Math.hypot(...point.at.map((value, i) => value - middles.find((each) => each.role === point.role).at[i]));
    const AROUND = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, 1], [1, -1], [-1, 1], [-1, -1], [1, -0.6], [1, 0.6], [-1, -0.6], [-1, 0.6], [0.4, -1.3], [-0.4, -1.3], [0.4, 1.3], [-0.4, 1.3], [1.4, 0], [-1.4, 0], [0, -1.5], [0, 1.5]];
    for (const point of [...on].sort((a, b) => far(b) - far(a))) {
      const [x, y] = spot(point.at), w = wide(point.word), others = [...taken, ...[...boxes].filter(([each]) => each !== point).map(([, box]) => box)];
      for (const [dx, dy] of AROUND) {
        const share = dx && dy ? 0.6 : 1, end = x + dx * 7.5 * share, middle = y + dy * (half + 4.5 * share);
        const left = end - (dx < 0 ? w : dx ? 0 : w / 2), box = [left, middle - half, left + w, middle + half];
        const crosses = box[0] + box[1] < side && side < box[2] + box[3];
        if (Math.min(...box) < 0 || Math.max(...box) > side || crosses || meets(box, others)) continue;
        taken.push(box);
        svg += `<text class="word ${point.role.toLowerCase()}" data-word="${point.id}" x="${Math.round(end)}" y="${Math.round(middle + 4)}"${dx > 0 ? "" : ` text-anchor="${dx < 0 ? "end" : "middle"}"`}>${escaped(point.word)}</text>`;
        break;
      }
    }
    const alt = middles.map((point) => `${data.groups[point.role].name}: mean cosine ${effect(point.at[0], 3)} with ${data.groups.A.name}, ${effect(point.at[1], 3)} with ${data.groups.B.name}`).join(". ");
    return { svg: `<svg viewBox="0 0 414 408" role="img" aria-label="${escaped(alt)}." class="figure plane"><title>Each target word by its mean cosines</title><g transform="translate(46 8)">${svg}</g></svg>`, rows: [...on, ...off] };
  }

  // ---- the parts of the board
  function groupsOf({ off, added }) {
    return Object.fromEntries(ROLES.map((role) => {
      const original = data.groups[role].words, more = (added[role] || []).filter((word) => !original.includes(word));
      const words = [...original, ...more], out = new Set(off[role] || []);
      return [role, { original, words, on: words.filter((word) => !out.has(word)) }];
    }));
  }
  function changesOf(groups) {
    const away = (role) => groups[role].original.filter((word) => !groups[role].on.includes(word));
    const gained = (role) => groups[role].on.filter((word) => !groups[role].original.includes(word));
    const name = (role) => data.groups[role].name, moves = new Map();
    for (const from of ROLES) for (const word of away(from)) for (const to of ROLES) if (gained(to).includes(word)) moves.set(word, `${word} moved from ${name(from)} to ${name(to)}`);
    const listed = (verb, of) => ROLES.flatMap((role) => {
      const rest = of(role).filter((word) => !moves.has(word));
      return rest.length ? [`${verb} ${rest.join(", ")} (${name(role)})`] : [];
    });
    return [...moves.values(), ...listed("without", away), ...listed("with", gained)];
  }

  function words(role, { words: all, on, original }) {
    const low = role.toLowerCase(), lacking = all.filter((word) => !place.has(word));
    const chips = all.map((word, i) => {
      const why = place.has(word) ? (common.has(word) ? "also a common word: its vector mixes both meanings" : "") : data.missing[word] || "not among the words of this copy";
      const kind = `chip${original.includes(word) ? "" : " added"}${place.has(word) ? "" : " missing"}`;
      const remark = why ? `${place.has(word) ? '<span class="mark" aria-hidden="true">⚠</span>' : ""}<span class="sr"> (${escaped(why)})</span>` : "";
      return `<button type="button" class="${kind}" id="chip-${role}${i}" draggable="true" data-word="${role}${i}" data-role="${role}" data-text="${escaped(word)}" aria-pressed="${on.includes(word)}" tabindex="${i ? -1 : 0}"${why ? ` title="${escaped(why)}"` : ""}><bdi>${escaped(word)}</bdi>${data.ranks[word] ? `<span class="rank" aria-hidden="true">${count(data.ranks[word])}</span>` : ""}${remark}</button>`;
    }).join("");
    const apart = lacking.map((word) => [word, word.split(/\s+/).map(spelled)]).filter(([word, pieces]) => on.includes(word) && pieces.length > 1 && pieces.every((piece) => place.has(piece)));
    const note = (lacking.length ? `<p class="note">Not in this copy: ${escaped(lacking.join(", "))}.</p>` : "")
      + apart.map(([word, pieces]) => `<p class="note"><bdi>${escaped(word)}</bdi>: <button type="button" class="quiet split" data-apart="${escaped(word)}" data-role="${role}" data-pieces="${escaped(pieces.join(","))}">Split at spaces<span class="sr">: ${escaped(pieces.join(", "))}</span></button></p>`).join("");
    return `<div data-part="summary-${role}"><span class="role ${low}">${role}</span> ${named(role)} <small>${on.length} of ${all.length}${lacking.length ? `, ${lacking.length} missing` : ""}</small></div>
      <div data-part="chips-${role}"><div class="chips" role="toolbar" data-group="${escaped(data.groups[role].name)}" aria-label="${role}, ${escaped(data.groups[role].name)}: words" aria-describedby="words-how">${chips}</div>${note}</div>`;
  }

  function figures(now, was) {
    const cell = (target, role) => {
      const red = now.pattern[target] === role, key = target + role, old = was.cells[key];
      return `<td class="${red ? "on" : ""}">${red ? "<span>● associated</span>" : ""}<b>${effect(now.cells[key], 3)}</b>${effect(old, 3) === effect(now.cells[key], 3) ? "" : `<small>was ${effect(old, 3)}</small>`}</td>`;
    };
    const limit = Math.max(data.limit, Math.ceil(2 * Math.max(...Object.values(now.levels).map(({ d }) => Math.abs(d || 0)))) / 2);
    const titles = { level1: ["Level 1", `${data.groups.X.name} against ${data.groups.Y.name}`], "level2.X": ["Level 2, X", data.groups.X.name], "level2.Y": ["Level 2, Y", data.groups.Y.name] };
    const rows = Object.entries(now.levels).map(([at, level]) => `<tr data-level="${at}"><th scope="row">${titles[at][0]}<small><bdi>${escaped(titles[at][1])}</bdi></small></th>
      <td class="num"><b>${effect(level.d)}</b>${effect(was.levels[at].d) === effect(level.d) ? "" : `<small class="nb">was ${effect(was.levels[at].d)}</small>`}</td><td class="drawn">${drawn(at, level, was.levels[at], limit)}</td>
      <td class="num">${pValue(level.p[tail(level)])}<small class="nb">${count(level.counts[tail(level)])} of ${count(level.total)}</small></td></tr>`);
    const changed = was.label === now.label ? "" : `was ${data.minis[was.label]} <span class="nb">${was.label}</span> → now `;
    return `<h3>EAT-Map <small>red: associated; in each cell the mean cosine, level 3</small></h3>
      <table id="eat-map"><caption class="sr">EAT-Map: ${now.label}</caption><thead><tr><td></td>${TARGETS.map((role) => `<th scope="col">${named(role)}</th>`).join("")}</tr></thead>
      <tbody>${["A", "B"].map((role) => `<tr><th scope="row">${named(role)}</th>${TARGETS.map((target) => cell(target, role)).join("")}</tr>`).join("")}</tbody></table>
      <p id="patterns" class="meta">${changed}${data.minis[now.label]} <b class="nb">${now.label}</b>${changed ? "" : " as before the change"}</p>
      <table class="moved" id="levels"><caption>d from −${limit} to ${limit}: ${named("B")} ← → ${named("A")}. Filled: p &lt; ${data.alpha}.</caption><tbody>${rows.join("")}</tbody></table>
      <p class="note">p-values count all relabellings. Intervals, other words, frequency and chance are not computed in a frozen copy.</p>`;
  }

  const original = document.createElement("template");
  original.innerHTML = document.getElementById("board").innerHTML;
  const band = () => (seen.size > 1 ? `<p id="band" class="warning"><strong>Words were changed after seeing results:</strong> p-values describe this list, not a discovery. ${seen.size} lists looked at.</p>` : "");
  const usable = (groups) => Object.fromEntries(ROLES.map((role) => [role, groups[role].on.filter((word) => place.has(word))]));
  const start = usable(groupsOf({ off: {}, added: {} })), was = measure(start);
  was.middles = Object.fromEntries(TARGETS.map((role) => [role, [0, 1].map((i) => mean(start[role].map((word) => was.at(word)[i])))]));

  function view(request) {
    const groups = groupsOf(request), lists = usable(groups), changes = changesOf(groups);
    const parts = ROLES.map((role) => words(role, groups[role]));
    let now;
    try {
      now = measure(lists);
    } catch (error) {
      return `<div data-part="band">${band()}</div><div data-part="finding"><h2 id="headline">Nothing to show</h2><div id="why"><p class="error">${escaped(error.message)}</p></div></div>${parts.join("")}
        ${["map", "figures", "without", "say"].map((name) => `<div data-part="${name}" hidden></div>`).join("")}`;
    }
    seen.add(JSON.stringify(ROLES.map((role) => [...lists[role]].sort())));
    if (!changes.length) {
      original.content.querySelector('[data-part="band"]').innerHTML = band();
      return original.innerHTML;
    }
    const { sentence, grade, holds, p } = finding(now), hangs = grade === "not shown" ? [] : decisive(lists, now), plane = map(lists, now, groups, was);
    const checks = ["these words", "other words", "after frequency", "chance", "number of tests"].map((name, i) => {
      const why = i ? "not computed in a frozen copy" : `two-sided ${pValue(p).replace(/<[^>]*>/g, "")}`, state = i ? "not-made" : holds ? "holds" : "fails";
      return `<li class="${state}" title="${why}"><span aria-hidden="true">${i ? "–" : holds ? "✓" : "✗"}</span> ${name}<span class="sr">: ${state.replace("-", " ")}, ${why}</span></li>`;
    });
    const [lead, ...rest] = sentence.split("; ");
    return `<div data-part="band">${band()}</div>
      <div data-part="finding"><h2 id="headline" dir="auto"><strong>${escaped(lead)}</strong>${rest.map((part) => `; ${escaped(part)}`).join("")}</h2>
      <div class="row checked"><ul id="checks" aria-label="Checks of the finding, ${grade}">${checks.join("")}</ul>
      ${hangs.length ? `<p class="meta" id="hangs" dir="auto">It hangs on ${escaped(hangs.slice(0, 6).join(", "))}${hangs.length > 6 ? ` and ${hangs.length - 6} more` : ""}: without ${hangs.length === 1 ? "this word" : "one of these words"} the conclusion is different.</p>` : ""}</div>
      <p class="meta" dir="auto"><b>${now.label}</b>${now.label === was.label ? "" : `, before ${was.label}`} · ${escaped(data.source)} · changed: ${escaped(changes.join("; "))}</p></div>
      ${parts.join("")}
      <div data-part="map"><h3>Map of the words</h3><figure id="plane">${plane.svg}<figcaption><span class="dot x">●</span> ${named("X")} <span class="dot y">■</span> ${named("Y")} <b>+</b> their means. Hollow: off. Pale: before any change. On the diagonal: as close to ${named("A")} as to ${named("B")}.</figcaption></figure>
      <details class="fold twin"><summary>The map as a table</summary><div class="scroll" role="region" tabindex="0" aria-label="Places of the words"><table><thead><tr><th scope="col">Word</th><th scope="col">Group</th><th scope="col" class="num">with ${named("A")}</th><th scope="col" class="num">with ${named("B")}</th></tr></thead><tbody>${plane.rows.map((row) => `<tr><th scope="row"><bdi>${escaped(row.word)}</bdi>${lists[row.role].includes(row.word) ? "" : " (off)"}</th><td>${named(row.role)}</td><td class="num">${effect(row.at[0], 3)}</td><td class="num">${effect(row.at[1], 3)}</td></tr>`).join("")}</tbody></table></div></details></div>
      <div data-part="figures">${figures(now, was)}</div>${["without", "say"].map((name) => `<div data-part="${name}" hidden></div>`).join("")}`;
  }

  document.getElementById("candidates").replaceChildren(...data.words.map((word) => Object.assign(document.createElement("option"), { value: word })));
  return { view, measure, finding, decisive, spelled, data };
})();
