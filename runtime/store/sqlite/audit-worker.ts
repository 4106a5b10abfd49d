/** The other end of `AuditThread`. Its connection to the file is its own, and treats the file as every other does. */
import { parentPort, workerData } from 'node:worker_threads'
import { unwatched } from '../health.ts'
import { StoreBusy, StoreUnavailable } from '../store.ts'
import { appendInGroupCommits } from '../verbs/audit-rows.ts'
import type { AuditFailure, AuditReply, AuditRequest, AuditThreadData } from './audit-thread.ts'
import { openSqlite } from './sqlite.ts'

const { path, patienceMs, known }: AuditThreadData = workerData
const { commits, close } = openSqlite(path, patienceMs, unwatched, known)
const append = appendInGroupCommits(commits)
const underWay = new Set<Promise<void>>()

async function write(document: string): Promise<AuditFailure | null> {
  try {
    await append(document)
    return null
  } catch (error) {
    return failureOf(error)
  }
}

function failureOf(error: unknown): AuditFailure {
  if (error instanceof StoreBusy) return { kind: 'busy', message: messageOf(error.cause) }
  if (error instanceof StoreUnavailable) return { kind: 'unavailable', message: messageOf(error.cause) }
  return { kind: 'error', message: messageOf(error) }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function answer(number: number, document: string): Promise<void> {
  const reply: AuditReply = { number, failure: await write(document) }
  parentPort?.postMessage(reply)
}

parentPort?.on('message', async (request: AuditRequest) => {
  if (request === null) {
    await Promise.all(underWay)
    close()
    parentPort?.close()
    return
  }
  const answering = answer(request.number, request.document)
  underWay.add(answering)
  await answering
  underWay.delete(answering)
})
