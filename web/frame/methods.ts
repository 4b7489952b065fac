// The methods that an app may call, as @farcaster/miniapp-sdk sends them, each with the shape of its arguments.

/** Says what is wrong with a value; undefined when nothing is. */
type Check = (value: unknown, name: string) => string | undefined

const MAX_TEXT = 1_024
const MAX_URL = 1_024
const MAX_NONCE = 128
const MAX_BUTTON = 32
const MAX_CAST_TEXT = 10_240

const text =
  (max = MAX_TEXT): Check =>
  (value, name) =>
    typeof value === 'string' && value.length <= max
      ? undefined
      : `${name} must be a text of at most ${max} characters`

const flag: Check = (value, name) =>
  typeof value === 'boolean' ? undefined : `${name} must be true or false`

const fid: Check = (value, name) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? undefined : `${name} must be a fid`

const anything: Check = () => undefined

const optional =
  (check: Check): Check =>
  (value, name) =>
    value === undefined || value === null ? undefined : check(value, name)

const oneOf =
  (...words: string[]): Check =>
  (value, name) =>
    typeof value === 'string' && words.includes(value)
      ? undefined
      : `${name} must be one of ${words.join(', ')}`

const list =
  (check: Check, max: number): Check =>
  (value, name) =>
    Array.isArray(value) && value.length <= max
      ? first(value.map((one, i) => check(one, `${name}[${i}]`)))
      : `${name} must be a list of at most ${max}`

/** Other fields are left to the host, which reads only those that it knows. */
const record =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return `${name} must be an object`
    }
    const of = value as Readonly<Record<string, unknown>>
    return first(Object.entries(fields).map(([key, check]) => check(of[key], `${name}.${key}`)))
  }

const first = (faults: readonly (string | undefined)[]) => faults.find((one) => one !== undefined)

const cast = record({ type: oneOf('cast'), hash: text() })
const rpc = record({
  method: text(),
  params: optional(anything),
  id: optional(anything),
  jsonrpc: optional(text(8)),
})

/** Arguments by method. A call may have fewer where the last ones are optional, and never more. */
export const METHODS = {
  ready: [optional(record({ disableNativeGestures: optional(flag) }))],
  close: [],
  openUrl: [text(MAX_URL)],
  signIn: [
    record({
      nonce: text(MAX_NONCE),
      notBefore: optional(text(64)),
      expirationTime: optional(text(64)),
      acceptAuthAddress: optional(flag),
    }),
  ],
  signManifest: [record({ domain: text(253) })],
  setPrimaryButton: [
    record({
      text: text(MAX_BUTTON),
      loading: optional(flag),
      disabled: optional(flag),
      hidden: optional(flag),
    }),
  ],
  ethProviderRequest: [rpc],
  ethProviderRequestV2: [rpc],
  eip6963RequestProvider: [],
  solanaProviderRequest: [optional(anything)],
  addFrame: [],
  addMiniApp: [],
  viewCast: [record({ hash: text(), authorUsername: optional(text()), close: optional(flag) })],
  viewProfile: [record({ fid })],
  viewToken: [record({ token: text() })],
  sendToken: [
    record({
      token: optional(text()),
      amount: optional(text()),
      recipientAddress: optional(text()),
      recipientFid: optional(fid),
    }),
  ],
  swapToken: [
    record({
      sellToken: optional(text()),
      buyToken: optional(text()),
      sellAmount: optional(text()),
    }),
  ],
  openMiniApp: [record({ url: text(MAX_URL) })],
  composeCast: [
    optional(
      record({
        text: optional(text(MAX_CAST_TEXT)),
        embeds: optional(list(text(MAX_URL), 2)),
        parent: optional(cast),
        close: optional(flag),
        channelKey: optional(text()),
      }),
    ),
  ],
  requestCameraAndMicrophoneAccess: [],
  impactOccurred: [oneOf('light', 'medium', 'heavy', 'soft', 'rigid')],
  notificationOccurred: [oneOf('success', 'warning', 'error')],
  selectionChanged: [],
  getCapabilities: [],
  getChains: [],
  updateBackState: [record({ visible: flag })],
} as const satisfies Readonly<Record<string, readonly Check[]>>

export type Method = keyof typeof METHODS

export const isMethod = (name: unknown): name is Method =>
  typeof name === 'string' && Object.hasOwn(METHODS, name)

/** Says what is wrong with the arguments of a method. */
export function argumentsFault(method: Method, args: readonly unknown[]): string | undefined {
  const checks: readonly Check[] = METHODS[method]
  // A caller that passes an event listener directly sends its event; nobody reads what comes after.
  return first(checks.map((check, i) => check(args[i], `${method}: argument ${i + 1}`)))
}
