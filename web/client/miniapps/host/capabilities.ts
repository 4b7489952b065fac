import { CAPABILITIES } from '../../../../src/features/mini-apps/text/words.ts'

// What apps can do here, by the names of the published SDK.

/** What this network and this client do not have. */
const MISSING: readonly string[] = [
  'wallet.getSolanaProvider',
  'actions.viewToken',
  'actions.sendToken',
  'actions.swapToken',
  'actions.requestCameraAndMicrophoneAccess',
  'experimental.signManifest',
]

/** What is true in this browser, and on this server. */
export const capabilitiesWith = (chains: readonly string[]): string[] =>
  CAPABILITIES.filter((one) => {
    if (one === 'wallet.getEthereumProvider') return chains.length > 0
    if (one.startsWith('haptics.')) return typeof navigator.vibrate === 'function'
    return !MISSING.includes(one)
  })

type Needs = {
  readonly requiredCapabilities?: readonly string[]
  readonly requiredChains?: readonly string[]
}

/** What an app says that it needs and is not here. */
export function missingFor(
  { requiredCapabilities = [], requiredChains = [] }: Needs,
  chains: readonly string[],
): string[] {
  const there = capabilitiesWith(chains)
  return [
    ...requiredCapabilities.filter((one) => !there.includes(one)),
    ...requiredChains.filter((one) => !chains.includes(one)),
  ]
}
