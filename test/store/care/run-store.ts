/** `acmcp store` in this process. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acmcpHere } from '../../cli/support/here.ts'

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** An application's folder with the example's build, or without any. */
export function folderOf(t: { teardown(clean: () => void): void }, isBuilt = true): string {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-command-'))
  if (isBuilt)
    for (const name of ['.acmcp', 'generated']) symlinkSync(join(process.cwd(), name), join(folder, name))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

/** What `store` is asked for. */
export type StoreTask =
  | { readonly kind: 'status' | 'plan' | 'migrate'; readonly json: boolean }
  | { readonly kind: 'purge' }
  | { readonly kind: 'backup'; readonly file: string }

export async function runStore(
  cwd: string,
  task: StoreTask,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const { status: code, stdout: out, stderr: err } = await acmcpHere(cwd, env, 'store', ...wordsOf(task))
  return { code, out, err }
}

function wordsOf(task: StoreTask): readonly string[] {
  if (task.kind === 'purge') return ['purge']
  if (task.kind === 'backup') return ['backup', task.file]
  return [...(task.kind === 'plan' ? ['migrate', '--plan'] : [task.kind]), ...(task.json ? ['--json'] : [])]
}
