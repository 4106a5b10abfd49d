/** The content of attachments, on disk under the SHA-256 of it: two files of the same content are stored once, and a name that a
 *  stranger chose is never a path. */
import { createHash, randomUUID } from 'node:crypto'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { UploadedFile } from 'acmcp'

/** Where they lie. With several instances: a folder that all of them see. */
export const filesFolder: string = process.env.DESK_FILES ?? 'data/files'

/** Stores the file, and returns its digest. */
export async function keepFile(file: UploadedFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of file.stream()) hash.update(piece)
  const digest = hash.digest('hex')
  await mkdir(filesFolder, { recursive: true })
  const unfinished = join(filesFolder, `${randomUUID()}.part`)
  await copyFile(file.path, unfinished)
  await rename(unfinished, join(filesFolder, digest)) // at once: nobody reads half a file
  return digest
}

/** Removes files; harmless when one is not there. */
export async function dropFiles(digests: readonly string[]): Promise<void> {
  await Promise.all(digests.map((digest) => rm(join(filesFolder, digest), { force: true })))
}
