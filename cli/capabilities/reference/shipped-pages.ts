/** The pages that the package brings, `templates/docs/*.md`. */
import { readdirSync, readFileSync } from 'node:fs'

/** From `dist/cli/capabilities/reference/` in the package. */
const folder = new URL('../../../../templates/docs/', import.meta.url)

export interface ShippedPage {
  /** Without `.md`. */
  readonly name: string
  /** Its first heading. */
  readonly title: string
  readonly text: string
}

/** All pages: the first one, then those that it names, in its order, then the others. */
export function shippedPages(): readonly ShippedPage[] {
  const found = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => toPage(file.slice(0, -'.md'.length)))
  const first = found.find(({ name }) => name === 'README')?.text ?? ''
  const named = ['README', ...[...first.matchAll(/\]\(([\w-]+)\.md/g)].map(([, name = '']) => name)]
  const rank = ({ name }: ShippedPage): number => (named.includes(name) ? named.indexOf(name) : named.length)
  return found.sort((a, b) => rank(a) - rank(b))
}

/** The text of one, without reading the others. */
export const shippedPage = (name: string): string => readFileSync(new URL(`${name}.md`, folder), 'utf8')

function toPage(name: string): ShippedPage {
  const text = shippedPage(name)
  return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
}
