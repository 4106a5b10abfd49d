/** A reader of what `/metrics` answers. Source: Prometheus, Exposition formats, text-based format. */

export interface MetricFamily {
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the text format by its grammar, and nothing else. Throws for a line that it does not have. */
export function parseExposition(text: string): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line must end with a line feed')
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/.exec(line)
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line)
    if (help !== null) {
      const [, name = '', words = ''] = help
      if (families.has(name)) throw new Error(`${name} has two blocks`)
      families.set(name, { type: 'untyped', help: words, samples: [] })
      current = name
    } else if (type !== null) {
      const family = families.get(type[1] ?? '')
      if (family === undefined || type[1] !== current) throw new Error(`a type without its block: ${line}`)
      family.type = type[2] ?? ''
    } else {
      const sample = sampleOf(line)
      const family = families.get(current)
      const suffixes = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      if (!suffixes.some((suffix) => sample.name === current + suffix))
        throw new Error(`not of ${current}: ${line}`)
      family?.samples.push(sample)
    }
  }
  return families
}

function sampleOf(line: string): Sample {
  const parts = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
  if (parts === null) throw new Error(`no sample: ${line}`)
  const [, name = '', inside = '', value = ''] = parts
  const labels: Record<string, string> = {}
  const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/y
  while (label.lastIndex < inside.length) {
    const found = label.exec(inside)
    if (found === null) throw new Error(`no labels: ${inside}`)
    const [, key = '', text = ''] = found
    if (key in labels) throw new Error(`${key} stands twice: ${line}`)
    labels[key] = text.replace(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter))
    if (label.lastIndex === 0) break
  }
  if (Number.isNaN(Number(value))) throw new Error(`no value: ${line}`)
  return { name, labels, value: Number(value) }
}

/** Values of a family by their labels, written as `name=value`. */
export function valuesOf(family: MetricFamily | undefined, suffix = ''): Readonly<Record<string, number>> {
  const samples = family?.samples.filter(({ name }) => name.endsWith(suffix)) ?? []
  return Object.fromEntries(
    samples.map(({ labels, value }) => [
      Object.entries(labels)
        .map(([name, text]) => `${name}=${text}`)
        .join(' '),
      value,
    ]),
  )
}
