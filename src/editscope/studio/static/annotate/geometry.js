// @ts-check
// Boxes and polygons: pure functions on numbers of a picture.

/** @typedef {{id: string, box: number[], points?: number[][], rest?: Record<string, unknown>}} Region */

/** The box around points. @param {number[][]} points */
export function bounds(points) {
  const xs = points.map((point) => point[0]), ys = points.map((point) => point[1]);
  const left = Math.min(...xs), top = Math.min(...ys);
  return [left, top, Math.max(...xs) - left, Math.max(...ys) - top];
}

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), Math.max(low, high));

/** A region moved by some pixels, but not over the edge. @param {Region} region @param {number} dx @param {number} dy @param {number[]} size */
export function moved(region, dx, dy, size) {
  const [x, y, w, h] = region.box;
  const left = clamp(x + dx, Math.min(0, x), Math.max(size[0] - w, x)), top = clamp(y + dy, Math.min(0, y), Math.max(size[1] - h, y));
  const points = region.points?.map((point) => [point[0] + left - x, point[1] + top - y]);
  return { ...region, box: [left, top, w, h], ...(points ? { points } : {}) };
}

/**
 * A region with one of its edges or corners at another place: a letter for each edge, such as "nw" or "e".
 * @param {Region} region @param {string} edges @param {number} x @param {number} y @param {number[]} size
 */
export function resized(region, edges, x, y, size) {
  let [left, top, w, h] = region.box;
  let right = left + w, bottom = top + h;
  if (edges.includes("w")) left = clamp(x, 0, size[0]);
  if (edges.includes("e")) right = clamp(x, 0, size[0]);
  if (edges.includes("n")) top = clamp(y, 0, size[1]);
  if (edges.includes("s")) bottom = clamp(y, 0, size[1]);
  const box = [Math.min(left, right), Math.min(top, bottom), Math.abs(right - left), Math.abs(bottom - top)];
  if (!region.points) return { ...region, box };
  const [x0, y0, w0, h0] = region.box;
  const points = region.points.map((point) => [
    box[0] + (w0 ? (point[0] - x0) / w0 : 0) * box[2], box[1] + (h0 ? (point[1] - y0) / h0 : 0) * box[3],
  ]);
  return { ...region, box, points };
}

/** A polygon with one corner at another place. @param {Region} region @param {number} corner @param {number} x @param {number} y */
export function bent(region, corner, x, y) {
  const points = (region.points ?? []).map((point, at) => (at === corner ? [x, y] : point));
  return { ...region, points, box: bounds(points) };
}

/** A region with all its numbers multiplied and rounded. @param {Region} region @param {number} factor @param {number} digits */
export function scaled(region, factor, digits) {
  const unit = 10 ** digits;
  const number = (/** @type {number} */ n) => Math.round(n * factor * unit) / unit;
  return {
    ...region, box: region.box.map(number),
    ...(region.points ? { points: region.points.map((point) => point.map(number)) } : {}),
  };
}
