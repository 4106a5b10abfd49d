import { csvRows } from '../csv.ts'
import type { DeskDatabase } from '../database/tables.ts'
import { RulesBroken } from '../errors.ts'
import type { ImportedCustomers, RefusedLine } from '../model/customer.ts'
import { customerLine } from '../model/rules.ts'
import { addCustomer } from './customers.ts'

/** Adds the customers of a CSV text: name, address, organisation. Throws `RulesBroken` when it has no line. */
export async function importCustomers(
  database: DeskDatabase,
  text: string,
  at: Date,
): Promise<ImportedCustomers> {
  const rows = csvRows(text)
  if (rows.length === 0) throw new RulesBroken([{ path: 'file', message: 'has no lines' }])
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
