/** What `acmcp diff` does: compiles, writes nothing, and shows how the contract differs from that of another tree. */

import { type BuildOptions, failBuild } from '../../build/build-options.ts'
import { diskHost } from '../../build/disk.ts'
import { compile } from '../../compiler/compile.ts'
import { compareWith } from './check-contract.ts'
import { toJson, toText } from './report.ts'

/** The exit code: 1 where the application does not compile, 2 where `against` has no contract. */
export async function showDiff(
  options: BuildOptions & { readonly against: string; readonly json: boolean },
): Promise<0 | 1 | 2> {
  const { cwd, colour, json, print } = options
  const compilation = compile(diskHost(cwd))
  if (compilation.files.length === 0) return failBuild(options, compilation.diagnostics)
  const shown = await compareWith(options, compilation)
  if (shown === null) return 2
  if (json) print(JSON.stringify(toJson(shown)))
  else for (const line of toText(shown, { colour, all: true })) print(line)
  return 0
}
