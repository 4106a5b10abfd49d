/** Plain data of which the longer texts lie by themselves: most of what is kept is text, which is then neither escaped nor
 *  parsed nor copied. */

export interface Texts {
  /** One after the other, in the order in which they stood in the data; ASCII. */
  readonly bytes: Buffer
  readonly lengths: readonly number[]
}

/** Stands in the data for a text that lies by itself. */
const elsewhere = '~'
const shortest = 40

export interface Packer {
  /** `value` without its longer texts. */
  readonly pack: (value: unknown) => unknown
  /** The texts of all that was packed. */
  readonly texts: () => Texts
}

/** Packs what JSON can hold, one value after the other. */
export function createPacker(): Packer {
  const texts: string[] = []
  const pack = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (!isByItself(value)) return value
      texts.push(value)
      return elsewhere
    }
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(pack)
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, pack(field)]))
  }
  const done = (): Texts => ({
    bytes: Buffer.from(texts.join(''), 'latin1'),
    lengths: texts.map(({ length }) => length),
  })
  return { pack, texts: done }
}

const isByItself = (text: string): boolean =>
  text === elsewhere || (text.length >= shortest && Buffer.byteLength(text) === text.length)

/** Puts texts back into what was packed, which is changed: each value once, in the order of packing. Texts are parts of one
 *  text, for which V8 copies nothing. */
export function createUnpacker({ bytes, lengths }: Texts): (packed: unknown) => unknown {
  const all = bytes.toString('latin1')
  let [count, end] = [0, 0]
  const next = (): string => {
    const start = end
    end += lengths[count] ?? 0
    count += 1
    return all.slice(start, end)
  }
  const unpack = (value: unknown): unknown => {
    if (value === elsewhere) return next()
    if (typeof value !== 'object' || value === null) return value
    const fields = value as Record<string, unknown> // of its own, or the items of a list
    for (const key of Object.keys(fields)) {
      const field = fields[key]
      if (field === elsewhere || typeof field === 'object') fields[key] = unpack(field)
    }
    return value
  }
  return unpack
}
