/** Whether a SQLite file can be written, without its write lock: nobody waits for the answer, and it waits for nobody. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, unlink } from 'node:fs/promises'
import { StoreUnavailable } from '../store.ts'

/** More than a commit adds to the log. */
const probeBytes = 64 * 1024

/** Asks whether this process may write the file at `path`, its log and beside them, and whether the disk takes as much as a commit
 *  needs: by a file that has lost its name before it has contents. Rejects with `StoreUnavailable`. */
export async function probeFile(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK)
    for (const end of ['-wal', '-shm']) await access(`${path}${end}`, constants.W_OK).catch(unlessMissing)
    await writeBeside(`${path}.${randomUUID()}.probe`)
  } catch (error) {
    throw new StoreUnavailable(undefined, {
      cause: new Error(`${path}: ${messageOf(error)}`, { cause: error }),
    })
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

async function writeBeside(name: string): Promise<void> {
  const file = await open(name, 'wx', 0o600)
  await unlink(name)
    .then(() => file.writeFile(Buffer.alloc(probeBytes)))
    .finally(() => file.close())
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
