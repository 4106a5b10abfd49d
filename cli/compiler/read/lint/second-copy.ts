/** A second copy of acmcp, which another package of a monorepo has: a controller of the one is none for the other. */
import { dirname } from 'node:path'
import { secondCopy } from '../../diagnostics/source-diagnostics.ts'
import { type Host, pathFrom } from '../program/host.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Reports each package that has a copy of its own. TypeScript of the same version is right all the same: what is bundled imports the
 *  application's. */
export function reportSecondCopies(source: Source): void {
  const { host, program } = source
  const own = copySeenFrom(host, `${host.root}/app`)
  if (own === null) return
  const reported = new Set<string>()
  for (const file of program.getSourceFiles()) {
    if (file.fileName.startsWith(`${host.root}/app/`) || program.isSourceFileDefaultLibrary(file)) continue
    if (!file.text.includes('acmcp')) continue
    const written = importOfAcmcp(file)
    const copy = written === null ? null : copySeenFrom(host, dirname(file.fileName))
    if (written === null || copy === null || copy === own || reported.has(copy)) continue
    const isBundled = !file.isDeclarationFile && versionIn(host, copy) === versionIn(host, own)
    if (isBundled) continue
    reported.add(copy)
    const [first, second] = [own, copy].map(
      (text) => `${versionIn(host, text)} in ${pathFrom(host.root, text)}`,
    )
    source.report(secondCopy(placeOfNode(source, written), first ?? '', second ?? ''))
  }
}

function importOfAcmcp({ statements }: ts.SourceFile): ts.StringLiteral | null {
  for (const statement of statements) {
    const written =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
        ? statement.moduleSpecifier
        : undefined
    if (written !== undefined && ts.isStringLiteral(written) && /^acmcp(\/|$)/.test(written.text))
      return written
  }
  return null
}

/** The real folder of acmcp that files in `folder` import; null = it is not installed for them. */
function copySeenFrom(host: Host, folder: string): string | null {
  for (let above = folder; ; above = dirname(above)) {
    const there = `${above}/node_modules/acmcp`
    if (host.directoryExists(there)) return host.realPath(there)
    if (above === dirname(above)) return null
  }
}

const versionIn = (host: Host, folder: string): string =>
  /"version":\s*"([^"]*)"/.exec(host.readFile(`${folder}/package.json`) ?? '')?.[1] ?? 'a copy'
