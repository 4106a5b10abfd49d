/** Makes a picture of a page a third of its size: text and flat areas need few colours. Reads what Chromium writes (8 bits a
 *  channel, not interlaced), writes an indexed PNG. Source: W3C PNG, third edition. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'

interface Picture {
  readonly width: number
  readonly height: number
  /** Bytes a pixel: 3, or 4 with alpha, which is left out. */
  readonly channels: number
  readonly pixels: Buffer
}

/** The same picture in its 256 most frequent colours: flat areas keep theirs, the edges of letters get the nearest. */
export function withFewColours(png: Buffer): Buffer {
  const picture = decode(png)
  const { width, height, channels, pixels } = picture
  const { palette, indexes } = paletteOf(picture)
  const rows = Buffer.alloc((width + 1) * height) // each row begins with its filter: none
  for (let at = 0; at < width * height; at += 1)
    rows[at + Math.floor(at / width) + 1] = indexes.get(colourAt(pixels, at * channels)) ?? 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8) // 8 bits, indexed
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  const chunks = [
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([png.subarray(0, 8), ...chunks])
}

function decode(png: Buffer): Picture {
  const data: Buffer[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const channels = png[25] === 6 ? 4 : 3
  const filtered = inflateSync(Buffer.concat(data))
  return { width, height, channels, pixels: unfiltered(filtered, width * channels, channels) }
}

/** Section 9: each byte is told by those to the left, above, and above the left. */
function unfiltered(filtered: Buffer, stride: number, channels: number): Buffer {
  const height = filtered.length / (stride + 1)
  const pixels = Buffer.alloc(stride * height)
  for (let at = 0; at < pixels.length; at += 1) {
    const row = Math.floor(at / stride)
    const left = at % stride >= channels ? (pixels[at - channels] ?? 0) : 0
    const above = row > 0 ? (pixels[at - stride] ?? 0) : 0
    const corner = row > 0 && at % stride >= channels ? (pixels[at - stride - channels] ?? 0) : 0
    const filter = filtered[row * (stride + 1)] ?? 0
    pixels[at] = (filtered[at + row + 1] ?? 0) + predicted(filter, left, above, corner)
  }
  return pixels
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 4) return paeth(left, above, corner)
  return [0, left, above, (left + above) >> 1][filter] ?? 0
}

function paeth(left: number, above: number, corner: number): number {
  const toLeft = Math.abs(above - corner)
  const toAbove = Math.abs(left - corner)
  const toCorner = Math.abs(left + above - 2 * corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

interface Palette {
  /** At most 256, as 0xrrggbb. */
  readonly palette: readonly number[]
  /** Of every colour of the picture, where the nearest one stands. */
  readonly indexes: ReadonlyMap<number, number>
}

function paletteOf({ pixels, channels }: Picture): Palette {
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = colourAt(pixels, at)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const colours = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour)
  const palette = colours.slice(0, 256)
  return { palette, indexes: new Map(colours.map((colour) => [colour, nearest(colour, palette)])) }
}

function nearest(colour: number, palette: readonly number[]): number {
  const distances = palette.map((count) => distance(count, colour))
  return distances.indexOf(Math.min(...distances))
}

function distance(count: number, other: number): number {
  const channels = [16, 8, 0].map((shift) => ((count >> shift) & 255) - ((other >> shift) & 255))
  return channels.reduce((sum, difference) => sum + difference ** 2, 0)
}

const colourAt = (pixels: Buffer, at: number): number =>
  ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0)

/** Section 5.3: length, type, data and a checksum of the last two. */
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, checksum])
}
