/** Whether people can sign in by the identity providers of the application in this folder, as far as that shows without a person. */
import { type AskedProvider, type Finding, notTried, ok, type Step, wrong } from '../step.ts'
import { providerFails } from '../troubles.ts'

export const identityProvidersStep = (examine: () => Promise<readonly AskedProvider[]>): Step => ({
  name: 'identity provider',
  async run(): Promise<Finding> {
    const found = await examine()
    if (found.length === 0) return notTried('no OpenID provider is configured')
    const [first] = found.filter(({ trouble }) => trouble !== null)
    if (first === undefined) return ok(found.map(({ name }) => name).join(', '))
    const detail = found.map(({ name, trouble }) => `${name}: ${trouble ?? 'ok'}`).join(', ')
    return wrong(detail, providerFails(first.name, first.trouble ?? '', first.words))
  },
})
