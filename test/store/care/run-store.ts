/** `acmcp store` in this process: what the command does once its arguments are read. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StoreTask, run as store } from '../../../cli/commands/store.ts'

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

export async function runStore(
  cwd: string,
  task: StoreTask,
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  let out = ''
  let err = ''
  const code = await store(task, {
    cwd,
    env,
    isTerminal: false,
    print: (line) => {
      out += `${line}\n`
    },
    warn: (line) => {
      err += `${line}\n`
    },
  })
  return { code, out, err }
}
