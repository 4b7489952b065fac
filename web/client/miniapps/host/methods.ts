import type { Method } from '../../../frame/methods.ts'
import { isLoopback, openable } from '../../../shared/links.ts'
import { t } from '../../../shared/messages.ts'
import { callApp } from '../../api.ts'
import { nameForDomain } from '../domain.ts'
import { makeEvent } from '../event.ts'
import type { AnswerCall, AppHost } from './app-host.ts'
import { capabilitiesWith } from './capabilities.ts'
import { contextOf } from './context.ts'
import type { ComposeOptions, SignInOptions } from './prompts.ts'
import { walletFor } from './wallet.ts'

// What each method of an app does. A thrown error rejects the app's promise; refusals that the published SDK knows are values.

// biome-ignore lint/suspicious/noExplicitAny: the page around the app has checked the arguments, method by method
type Handler = (host: AppHost, ...args: any[]) => unknown

const REJECTED = { error: { type: 'rejected_by_user' } } as const
const NONCE = /^[A-Za-z0-9]{8,128}$/

/** Patterns in milliseconds. */
const VIBRATIONS: Readonly<Record<string, number[]>> = {
  light: [10],
  soft: [10],
  medium: [20],
  rigid: [20],
  heavy: [40],
  success: [10, 40, 10],
  warning: [30, 40, 30],
  error: [40, 40, 40],
}

const vibrate: Handler = (_host, kind: string = 'light') => {
  navigator.vibrate?.(VIBRATIONS[kind] ?? [10])
}

const add: Handler = async (host) => {
  const { domain, key, app, setApp } = host.ports
  const found = await app()
  if (found?.state !== 'listed') {
    host.emit({ event: 'miniapp_add_rejected', reason: 'invalid_domain_manifest' })
    return { error: { type: 'invalid_domain_manifest' } }
  }
  if (found.added) return { result: detailsOf(found) }
  const yes = await host.prompts.ask('add', { app: found })
  if (!yes) {
    host.emit({ event: 'miniapp_add_rejected', reason: 'rejected_by_user' })
    return REJECTED
  }
  const outcome = await makeEvent(key, domain, 'miniapp_added', yes.notifications)
  setApp(outcome)
  host.emit({ event: 'miniapp_added', ...detailsOf(outcome) })
  return { result: detailsOf(outcome) }
}

const detailsOf = ({ notificationDetails }: { notificationDetails?: object }) =>
  notificationDetails ? { notificationDetails } : {}

const compose: Handler = async (
  host,
  given: (ComposeOptions & { close?: boolean }) | undefined,
) => {
  const { close, ...options } = given ?? {}
  const cast = await host.prompts.ask('compose', options)
  if (close) host.ports.close()
  return close ? undefined : { cast: cast ?? null }
}

const openUrl: Handler = async (host, text: string) => {
  const url = openable(text)
  const isLocal = host.ports.isDevelopment && url && isLoopback(url.href)
  if (!url || !(url.protocol === 'https:' || (isLocal && url.protocol === 'http:'))) {
    throw new Error('openUrl: only https addresses are opened')
  }
  if (!(await host.prompts.ask('url', { url: url.href }))) throw new Error(t('The user refused.'))
}

const openMiniApp: Handler = async (host, { url: text }: { url: string }) => {
  const url = openable(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('openMiniApp: url is no address')
  // The page around the app is there only for domains that may be opened here.
  const there = await fetch(`/frame/${encodeURIComponent(url.host)}`, { method: 'HEAD' })
  if (!there.ok) throw new Error(`openMiniApp: there is no mini app ${url.host}`)
  if (!(await host.prompts.ask('app', { domain: nameForDomain(url.host) }))) {
    throw new Error(t('The user refused.'))
  }
  const { domain: referrerDomain } = host.ports
  // After the answer, which the app of before still gets.
  setTimeout(() =>
    host.ports.openApp({ url: url.href, opening: { type: 'open_miniapp', referrerDomain } }),
  )
}

const signIn: Handler = async (host, options: SignInOptions) => {
  if (!NONCE.test(options.nonce)) {
    throw new Error('signIn: nonce must be 8 to 128 letters and digits')
  }
  const result = await host.prompts.ask('signIn', options)
  return result ? { result } : REJECTED
}

const signManifest: Handler = async (host, { domain }: { domain: string }) => {
  const failed = (message: string) => ({ error: { type: 'generic_error', message } })
  if (!host.ports.room) {
    return failed(t('Domains are signed in the developer room of a development network.'))
  }
  if (domain !== host.ports.domain) return { error: { type: 'invalid_domain' } }
  const result = await host.prompts.ask('signDomain', { domain })
  return result ? { result } : REJECTED
}

type CastName = { readonly hash: string; readonly authorUsername?: string }
const HASH = /^0x[0-9a-f]{40}$/i
const SHORT_HASH = /^0x[0-9a-f]{8,39}$/i

/** The whole hash of a cast, which an app may name by its first digits and its author. */
async function hashOf({ hash, authorUsername }: CastName): Promise<string> {
  if (HASH.test(hash)) return hash.toLowerCase()
  if (!SHORT_HASH.test(hash)) throw new Error('viewCast: hash must be 0x and 8 to 40 hex digits')
  if (!authorUsername) throw new Error('viewCast: a short hash needs authorUsername')
  const identifier = `${location.origin}/${encodeURIComponent(authorUsername)}/${hash}`
  const query = { identifier, type: 'url' }
  return (await callApp<{ cast: { hash: string } }>('/cast', { query })).cast.hash
}

const HANDLERS: Readonly<Record<Method | 'context', Handler>> = {
  context: async (host) =>
    contextOf({
      key: host.ports.key,
      app: await host.ports.app(),
      opening: host.ports.room?.opening() ?? host.ports.launch.opening,
      insets: host.ports.insets(),
      platformType: host.ports.room?.platformType(),
    }),
  ready: (host) => host.show(),
  close: (host) => host.ports.close(),
  openUrl,
  signIn,
  signManifest,
  setPrimaryButton(host, options) {
    const { text, loading = false, disabled = false, hidden = false } = options
    const button = { text, isLoading: loading, isDisabled: disabled }
    host.set({ button: hidden || text === '' ? undefined : button })
  },
  ethProviderRequest: (host, request) => walletFor(host).request(request),
  ethProviderRequestV2: (host, request) => walletFor(host).requestRpc(request),
  eip6963RequestProvider: (host) => walletFor(host).announce(),
  solanaProviderRequest() {
    throw new Error(t('This network has no Solana wallet.'))
  },
  addFrame: add,
  addMiniApp: add,
  async viewCast(host, { close = false, ...named }: CastName & { close?: boolean }) {
    host.ports.showPage(`/cast/${await hashOf(named)}`, { closes: close })
  },
  viewProfile: (host, { fid }: { fid: number }) => host.ports.showPage(`/@!${fid}`),
  viewToken(host) {
    const { domain, tell } = host.ports
    tell(t('{domain} asked for a page about a token, which this server does not have.', { domain }))
    throw new Error('viewToken: this network has no tokens')
  },
  sendToken(host) {
    const { domain, tell } = host.ports
    tell(t('{domain} asked for sending a token, which this server does not have.', { domain }))
    return { success: false, reason: 'send_failed', error: NO_TOKENS }
  },
  swapToken(host) {
    const { domain, tell } = host.ports
    tell(t('{domain} asked for swapping tokens, which this server does not have.', { domain }))
    return { success: false, reason: 'swap_failed', error: NO_TOKENS }
  },
  openMiniApp,
  composeCast: compose,
  requestCameraAndMicrophoneAccess() {
    throw new Error(t('This host gives no access to camera and microphone.'))
  },
  impactOccurred: vibrate,
  notificationOccurred: vibrate,
  selectionChanged: vibrate,
  getCapabilities: async (host) => capabilitiesWith((await host.ports.terms()).chains),
  getChains: async (host) => (await host.ports.terms()).chains,
  updateBackState: (host, { visible }: { visible: boolean }) =>
    host.set({ isBackVisible: visible }),
}

const NO_TOKENS = { error: 'not_supported', message: t('This network has no tokens.') } as const

export const answerCall: AnswerCall = async (host, method, args) => HANDLERS[method](host, ...args)
