import type { Provider, Wallet } from '../provider.ts'

// The entry for wallets on other devices. Its code is loaded when it is chosen.

type Offer = { readonly projectId: string; readonly relayUrl: string }

/** What the operator has configured; the server writes it into the page. */
export function walletConnectOffer(): Offer | undefined {
  const element = document.querySelector<HTMLMetaElement>('meta[name="rookery-walletconnect"]')
  const [projectId, relayUrl] = element?.content.split(' ') ?? []
  return projectId && relayUrl ? { projectId, relayUrl } : undefined
}

/** Shows the user the code for the wallet; undefined when it is of no use any more. */
export type ShowCode = (code: Code | undefined) => void
export type Code = { readonly uri: string; giveUp(): void }

export function walletConnectWallet(offer: Offer, show: ShowCode): Wallet {
  let own: Promise<Provider> | undefined
  const provider = () => (own ??= load(offer, show).catch(forget))
  const forget = (error: unknown) => {
    own = undefined
    throw error
  }
  return {
    id: 'walletconnect',
    name: 'WalletConnect',
    note: 'A wallet app on your phone or on another device',
    provider: {
      async request(call) {
        const isFirst = call.method === 'eth_requestAccounts'
        try {
          return await (await provider()).request(call)
        } catch (error) {
          if (isFirst) own = undefined
          throw error
        } finally {
          if (isFirst) show(undefined)
        }
      },
      on: (event, listener) => void provider().then((one) => one.on?.(event, listener)),
      removeListener: (event, listener) =>
        void own?.then((one) => one.removeListener?.(event, listener)),
      disconnect: async () => {
        const ended = own
        own = undefined
        await (await ended)?.disconnect?.()
      },
    },
  }
}

async function load(offer: Offer, show: ShowCode): Promise<Provider> {
  const { createProvider } = await import('./provider.ts')
  const given = new AbortController()
  return createProvider({
    ...offer,
    page: { name: 'Rookery', description: document.title, url: location.origin },
    signal: given.signal,
    showCode: (uri) => show({ uri, giveUp: () => given.abort() }),
  })
}
