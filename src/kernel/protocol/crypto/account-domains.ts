// The domains of EIP-712 under which calls about accounts are signed. This file loads no cryptography.

type Hex = `0x${string}`

/** A domain that names a chain id and a contract. */
export type ContractDomain = TypedDataDomain &
  Required<Pick<TypedDataDomain, 'chainId' | 'verifyingContract'>>

export type TypedDataDomain = {
  readonly name: string
  readonly version: string
  readonly chainId?: number
  readonly verifyingContract?: Hex
  readonly salt?: Hex
}

/** The prefix of the deployed domain names; another network may use its own. */
export const DEPLOYED_BRAND = 'Farcaster'
/** OP mainnet, where the deployed account contracts are. */
export const DEPLOYED_CHAIN_ID = 10

/** Ledgers of earlier versions have generated chain ids from here on, which no chain has. */
export const LEAST_OWN_CHAIN_ID = 2 ** 30

export type AccountContracts = {
  readonly idGateway: Hex
  readonly idRegistry: Hex
  readonly keyGateway: Hex
  readonly keyRegistry: Hex
  readonly signedKeyRequestValidator: Hex
}

export const DEPLOYED_CONTRACTS: AccountContracts = {
  idGateway: '0x00000000Fc25870C6eD6b6c7E41Fb078b7656f69',
  idRegistry: '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b',
  keyGateway: '0x00000000fC56947c7E7183f8Ca4B62398CaAdf0B',
  keyRegistry: '0x00000000Fc1237824fb747aBDE0FF18990E59b7e',
  signedKeyRequestValidator: '0x00000000FC700472606ED4fA22623Acf62c60553',
}

export type AccountDomains = { readonly [Contract in keyof AccountContracts]: TypedDataDomain }

/** The domains of the account contracts; values that are not given are the deployed ones. */
export function accountDomains({
  chainId = DEPLOYED_CHAIN_ID,
  brand = DEPLOYED_BRAND,
  contracts = DEPLOYED_CONTRACTS,
}: {
  chainId?: number | undefined
  brand?: string | undefined
  contracts?: AccountContracts | undefined
} = {}): AccountDomains {
  const domain = (contract: string, verifyingContract: Hex): TypedDataDomain => ({
    name: `${brand} ${contract}`,
    version: '1',
    chainId,
    verifyingContract,
  })
  return {
    idGateway: domain('IdGateway', contracts.idGateway),
    idRegistry: domain('IdRegistry', contracts.idRegistry),
    keyGateway: domain('KeyGateway', contracts.keyGateway),
    keyRegistry: domain('KeyRegistry', contracts.keyRegistry),
    signedKeyRequestValidator: domain(
      'SignedKeyRequestValidator',
      contracts.signedKeyRequestValidator,
    ),
  }
}

const deployed = accountDomains()
export const ID_GATEWAY_DOMAIN = deployed.idGateway
export const ID_REGISTRY_DOMAIN = deployed.idRegistry
export const KEY_GATEWAY_DOMAIN = deployed.keyGateway
export const KEY_REGISTRY_DOMAIN = deployed.keyRegistry
export const SIGNED_KEY_REQUEST_DOMAIN = deployed.signedKeyRequestValidator
