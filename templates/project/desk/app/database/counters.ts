import type { DeskDatabase } from './tables.ts'

/** The next number of `name`, from 1 on. Call it in the transaction that uses the number: the row stays locked until that ends, so
 *  numbers become visible in their order. A reader who has seen 7 has missed no 6. */
export async function nextNumber(trx: DeskDatabase, name: 'tickets' | 'events'): Promise<number> {
  const { value } = await trx
    .insertInto('counters')
    .values({ name, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}
