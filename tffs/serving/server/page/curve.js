/** Draw the expected error with 0, 1, ... features, the first `number` of them marked. */
function curve(errors, number, width) {
  const height = 240, left = 52, right = 16, top = 14, bottom = 40;
  const last = errors.length - 1;
  const most = Math.ceil(10 * Math.max(errors[0], 0.01)) / 10;
  const x = (count) => left + (count / Math.max(last, 1)) * (width - left - right);
  const y = (error) => top + (1 - error / most) * (height - top - bottom);
  const text = (at, from, anchor, words) => drawn("text", { x: at, y: from, "text-anchor": anchor }, words);
  const grid = [0, 0.5, 1].flatMap((share) => [
    drawn("line", { class: "grid", x1: left, x2: width - right, y1: y(share * most), y2: y(share * most) }),
    text(left - 6, y(share * most) + 4, "end", `${Math.round(100 * share * most)} %`),
  ]);
  const points = errors.map((error, count) => `${x(count).toFixed(1)},${y(error).toFixed(1)}`);
  const title = `Expected error with 0 to ${last} features. With ${number}, ${percent(errors[number])} is left.`;
  // The number that is chosen is written below the axis, unless it would be written over an end of it.
  const far = x(number) - left > 24 && width - right - x(number) > 34;
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title },
    drawn("title", {}, title), ...grid,
    drawn("polyline", { class: "line", points: points.join(" ") }),
    drawn("line", { class: "chosen", x1: x(number), x2: x(number), y1: y(errors[number]), y2: y(0) }),
    drawn("circle", { class: "chosen", cx: x(number), cy: y(errors[number]), r: 5 }),
    text(x(0), height - 22, "middle", "0"),
    text(x(last), height - 22, "middle", String(last)),
    ...(far ? [text(x(number), height - 22, "middle", String(number))] : []),
    text((left + width - right) / 2, height - 4, "middle", "features measured"));
}
