import type { WalletTypedData } from './keys.ts'

/** What signs for an account: its custody address. An account of viem is one, and so is `providerWallet`. */
export type Wallet = {
  /** 0x and 40 hex digits. */
  readonly address: string
  // biome-ignore lint/suspicious/noExplicitAny: libraries infer their types from a literal
  signTypedData(typedData: any): Promise<string>
}

type Provider = {
  request(call: { readonly method: string; readonly params: unknown[] }): Promise<unknown>
}

/** The wallet of a browser (EIP-1193), such as `window.ethereum`, at an address that it has shown. */
export const providerWallet = (provider: Provider, address: string): Wallet => ({
  address,
  async signTypedData(typedData: WalletTypedData) {
    const params = [address, JSON.stringify(typedData)]
    return String(await provider.request({ method: 'eth_signTypedData_v4', params }))
  },
})
