/** `acmcp build --check --against`: a build tells how the contract differs from another one. */
import type { BuildPart } from '../../build/build-options.ts'
import type { ContractFlags } from './check-contract.ts'

export const part: BuildPart = {
  behind: '--check',
  options: (option) => [
    option(
      '--against <ref>',
      'with --check: also tell how the contract differs from that of a git revision or a folder',
    ),
    option('--fail <class>', 'the least of the changes that fail')
      .choices(['breaking', 'dangerous', 'texts', 'any'])
      .default('breaking'),
    option('--summary <file>', 'with --against: add a summary in Markdown to this file'),
  ],
  async instead({ check, flags, warn }) {
    if (check || !isCompared(flags)) return null
    warn('acmcp: --against compares what a build would write: it needs --check')
    return 1
  },
  check(options) {
    const { flags } = options
    if (!isCompared(flags)) return null
    return async (compilation) => {
      const { checkContract } = await import('./check-contract.ts')
      return checkContract({ ...options, ...flags }, compilation)
    }
  },
}

const isCompared = (flags: object = {}): flags is ContractFlags => 'against' in flags
