/** What pages call clients, of many at once. No metadata document is fetched for that: such a client is called by its address. */
import type { Store } from '../../store/store.ts'
import { ownPagesClientId, ownPagesName } from './own-pages.ts'

/** Clients that have no row, by id: those of the configuration, and our own pages. */
export type ConfiguredNames = ReadonlyMap<string, string>

export const configuredNames = (
  confidentialClients: Iterable<{ readonly id: string; readonly name: string | null }>,
): ConfiguredNames =>
  new Map([
    [ownPagesClientId, ownPagesName],
    ...[...confidentialClients].map(({ id, name }) => [id, name ?? id] as const),
  ])

/** Names by id; a client without one is not in it. The store is asked once, however many they are. */
export const clientNames =
  (configured: ConfiguredNames, { findClientNames }: Pick<Store, 'findClientNames'>) =>
  async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const names = new Map(await findClientNames(ids.filter((id) => !configured.has(id))))
    for (const id of ids) {
      const name = configured.get(id)
      if (name !== undefined) names.set(id, name)
    }
    return names
  }
