import {
  SIGNED_KEY_REQUEST_DOMAIN,
  type TypedDataDomain,
} from '../../protocol/crypto/account-domains.ts'
import { gaslessKeyDomain } from '../../protocol/crypto/eip712.ts'
import type { SigningNetwork } from './signing-network.ts'

// Which EIP-712 domains a signature may be made for. A call that changes an account holds in the network's own domain only.
// For everything else, domains that the brief or the deployed network fixes are accepted beside the network's own, because
// clients have them built in. A signature of another network that is sent again here then has no effect by itself: a user
// approves it with a signature in the network's own domain. Where a contract on a chain verifies, its domain is the only one.

/** The domains that a SignedKeyRequest may be signed in; the network's own is the first. */
export function keyRequestDomains(
  { source }: Pick<SigningNetwork, 'source'>,
  own: TypedDataDomain,
): readonly TypedDataDomain[] {
  const isFixed = textOf(own) === textOf(SIGNED_KEY_REQUEST_DOMAIN)
  return source === 'chain' || isFixed ? [own] : [own, SIGNED_KEY_REQUEST_DOMAIN]
}

/** The same for a gasless key, by the domain of such keys on this network: a hub accepts the deployed one beside it. */
export function gaslessRequestDomains(own: TypedDataDomain): readonly TypedDataDomain[] {
  const deployed = gaslessKeyDomain()
  return textOf(own) === textOf(deployed) ? [own] : [own, deployed]
}

/** For error messages: the domains, and where a client reads them. */
export const domainsText = (domains: readonly TypedDataDomain[]): string =>
  `in the domain ${domains.map(textOf).join(' or ')}; GET /v1/domains of the accounts interface lists them`

const textOf = ({ name, chainId, verifyingContract }: TypedDataDomain) =>
  `"${name}" of chain ${chainId} and ${verifyingContract ? `contract ${verifyingContract}` : 'no contract'}`
