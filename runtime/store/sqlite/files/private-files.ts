/** What is kept is for its owner only: files 0600, folders of ours 0700. Where there are no such permissions (Windows)
 *  nothing is done. */
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Makes the folder (0700), with a `.gitignore` that keeps everything in it out of a repository. One that is there is
 *  tightened if it is ours. */
export function makePrivateFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) {
    tighten(folder)
    return
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.gitignore'), '*\n')
}

/** Sees to it that a SQLite file is there and private, with all that lies beside it: logs and copies. SQLite gives new
 *  logs the permissions of the file. */
export function makePrivateDatabase(file: string): void {
  const folder = dirname(file)
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) makePrivateFolder(folder)
  if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', 0o600))
  const name = basename(file)
  const isBeside = (other: string): boolean =>
    other === name || /^(-wal|-shm|\..*bak)$/.test(other.slice(name.length))
  for (const other of readdirSync(folder).filter((other) => other.startsWith(name) && isBeside(other)))
    tighten(join(folder, other))
}

/** Takes the rights of others away when the file is ours. */
export function tighten(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || (stat.mode & 0o077) === 0 || stat.uid !== process.geteuid?.()) return
  chmodSync(path, stat.mode & 0o700)
}
