import { capabilities } from '../capabilities/index.ts'
import type { AppBundle } from '../contract/bundle.ts'
import { type Application, composeApplication, type Dependencies } from './compose.ts'

export type { Application, Dependencies }

/** Builds everything of the core and of the capabilities that the application uses; nothing listens yet. Throws `BootError`; the store is
 *  closed again when a later step fails. */
export const createApplication = (bundle: AppBundle, deps: Dependencies): Promise<Application> =>
  composeApplication(bundle, deps, capabilities)
