import { domainChoices } from '../domain-choices.ts'

export type Consent = { readonly wallet: string; readonly address: string }

/** Which apps see which address of the user's wallets. */
export const walletConsents = domainChoices<Consent>('miniapps.wallet')
