/** The store on SQLite: the contract, and what only a file can show. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { storeContract } from './contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'acmcp-store-'))
let databases = 0
await storeContract(t, 'SQLite', async () => `sqlite:${join(folder, `data-${databases++}`, 'store.db')}`)
rmSync(folder, { recursive: true })
