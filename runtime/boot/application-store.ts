/** The store of an application, with the tables of all capabilities: those of one that is not used stay empty. */
import { capabilities } from '../capabilities/index.ts'
import { type InspectedStore, inspectStore, type StoreStatus } from '../store/migrations/states.ts'
import { openStore } from '../store/open.ts'
import type { Store, StoreOptions } from '../store/store.ts'
import type { CapabilityTable } from '../store/tables.ts'

export const applicationTables: readonly CapabilityTable[] = capabilities.flatMap(
  ({ tables }) => tables ?? [],
)

export const openApplicationStore = (options: Omit<StoreOptions, 'tables'>): Promise<Store> =>
  openStore({ ...options, tables: applicationTables })

export const inspectApplicationStore = (store: Omit<InspectedStore, 'tables'>): Promise<StoreStatus> =>
  inspectStore({ ...store, tables: applicationTables })
