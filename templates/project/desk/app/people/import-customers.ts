import type { UploadedFile } from 'acmcp'
import { csvRows } from '../csv.ts'
import type { DeskDatabase } from '../database/tables.ts'
import { RulesBroken } from '../errors.ts'
import type { ImportedCustomers, RefusedLine } from '../model/customer.ts'
import { customerLine } from '../model/rules.ts'
import { addCustomer } from './customers.ts'

/** Longer lists come in parts: each line is a query, and the caller waits for all. */
const [maxLines, maxBytes] = [5000, 1_000_000]

/** Adds the customers of a CSV file: name, address, organisation. Throws `RulesBroken` when it has no line, too many, or one that
 *  cannot be read. */
export async function importCustomers(
  database: DeskDatabase,
  file: UploadedFile,
  at: Date,
): Promise<ImportedCustomers> {
  const refusal = (message: string): RulesBroken => new RulesBroken([{ path: 'file', message }])
  if (file.size > maxBytes) throw refusal(`has more than ${maxBytes} bytes`)
  const rows = csvRows(await file.text())
  if (rows.length === 0) throw refusal('has no lines')
  if (rows.length > maxLines) throw refusal(`has more than ${maxLines} lines`)
  let [added, known] = [0, 0]
  const refused: RefusedLine[] = []
  for (const { line, cells } of rows) {
    const [name, email, organisation = ''] = cells
    const { data, error } = customerLine.safeParse({ name, email, organisation })
    if (error !== undefined) refused.push({ line, problem: error.issues[0]?.message ?? 'it is wrong' })
    else if ((await addCustomer(database, data, at)) === null) known += 1
    else added += 1
  }
  return { added, known, refused }
}
