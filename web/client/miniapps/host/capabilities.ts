// What apps can do here, by the names of the published SDK.

const ALWAYS = [
  'actions.ready',
  'actions.openUrl',
  'actions.close',
  'actions.setPrimaryButton',
  'actions.addMiniApp',
  'actions.signIn',
  'actions.viewCast',
  'actions.viewProfile',
  'actions.composeCast',
  'actions.openMiniApp',
  'back',
] as const

const HAPTICS = [
  'haptics.impactOccurred',
  'haptics.notificationOccurred',
  'haptics.selectionChanged',
] as const

/** What is true in this browser, and on this server. */
export const capabilitiesWith = (chains: readonly string[]): string[] => [
  ...ALWAYS,
  ...(chains.length > 0 ? ['wallet.getEthereumProvider'] : []),
  ...(typeof navigator.vibrate === 'function' ? HAPTICS : []),
]

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
