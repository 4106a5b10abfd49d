/** Controllers in files that the build does not read: they would be lost in silence. Source: language.md, Nothing is lost
 *  silently. */

import { fileUnread } from '../../diagnostics/source-diagnostics.ts'
import { memberTags } from '../language.ts'
import { filesBelow, type Host } from '../program/host.ts'
import type { Source } from '../program/program.ts'

/** JavaScript has no types; the others are no sources of a server. */
const isOther = (name: string): boolean => /\.([cm]?jsx?|tsx|cts)$/.test(name)

const tag = new RegExp(`^[ \\t]*(?:/\\*)?\\*.*\\s@(${[...memberTags].join('|')})\\b`, 'm')

/** Warns of the first tag in every file under `app/controllers/` that is neither `.ts` nor `.mts`, nor made of one. */
export function reportUnreadFiles({ host, report }: Source): void {
  const directory = `${host.root}/app/controllers`
  if (!host.directoryExists(directory)) return
  for (const path of filesBelow(host, directory, isOther)) {
    if (isMade(host, path)) continue
    const text = host.readFile(path) ?? ''
    const found = tag.exec(text)
    if (found === null) continue
    const lines = text.slice(0, found.index + found[0].lastIndexOf('@')).split('\n')
    const at = {
      file: path.slice(host.root.length + 1),
      line: lines.length,
      column: (lines.at(-1) ?? '').length + 1,
    }
    report(fileUnread(at, found[1] ?? ''))
  }
}

/** Whether a file is what TypeScript makes of the one beside it. */
function isMade(host: Host, path: string): boolean {
  const [, stem = '', kind = ''] = /^(.*)\.([cm]?)[jt]sx?$/.exec(path) ?? []
  return host.fileExists(`${stem}.${kind}ts`) && !path.endsWith('.cts')
}
