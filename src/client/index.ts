// `rookery/client`: every interface of a Rookery server, typed, for browsers and Node 20 and later.

export { networkTime } from '../kernel/protocol/time.ts'
export { addAccountKey, claimName, type Registration, registerAccount } from './account-calls.ts'
export {
  type AnswerOf,
  type Client,
  createClient,
  type InputTo,
  type Operations,
} from './client.ts'
export { type ErrorCode, hasCode, RookeryError } from './error.ts'
export { type FollowOptions, follow, type StreamEvent } from './follow.ts'
export {
  type FollowedMessage,
  type FollowMessagesOptions,
  followMessages,
  type MessageFilter,
} from './follow-messages.ts'
export type * as AccountsTypes from './generated/accounts.ts'
export type * as AppTypes from './generated/app.ts'
export type * as HubTypes from './generated/hub.ts'
export type * as OperationsTypes from './generated/operations.ts'
export type * as PlatformTypes from './generated/platform.ts'
export type * as RegistryTypes from './generated/registry.ts'
export type { Bytes } from './hex.ts'
export {
  createAccounts,
  createApp,
  createHub,
  createOperations,
  createPlatform,
  createRegistry,
} from './interfaces.ts'
export { type KeyRequest, type RequestingApp, requestKey } from './key-request.ts'
export {
  keyAddTypedData,
  keyRemoveTypedData,
  keyRequestMetadata,
  keyRequestTypedData,
  type SigningStructs,
  type WalletTypedData,
} from './keys.ts'
export { type MentionedText, mentionsIn, textOf } from './mentions.ts'
export * from './messages.ts'
export { createNetwork, type Network, type WaitOptions } from './network.ts'
export { type PagedPath, paginate } from './paginate.ts'
export {
  type Picture,
  type Upload,
  type Uploader,
  uploadPicture,
  uploadPoster,
} from './pictures.ts'
export { filePositions, memoryPositions, type PositionStore } from './positions.ts'
export type { KeyScope } from './scopes.ts'
export {
  type Author,
  type NetworkName,
  type SignedMessage,
  signMessage,
} from './sign.ts'
export { type SignedIn, type SignIn, signIn } from './sign-in.ts'
export { type KeyPair, keyPairSigner, keySigner, type Signer } from './signer.ts'
export { type Thread, type ThreadOptions, thread } from './thread.ts'
export type { CallOptions, ClientOptions, Credentials } from './transport.ts'
export { providerWallet, type Wallet } from './wallet.ts'
