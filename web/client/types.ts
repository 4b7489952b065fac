// The objects of the app API, as its schemas declare them.

export type {
  CastScreen,
  ChannelScreen,
  DiscoverScreen,
  ExploreScreen,
  NameChange,
  NameScreen,
  NamesScreen,
  NotificationsScreen,
  PersonScreen,
  SearchScreen,
  SignedFields,
  StorageNoticeReply,
} from '../../src/features/app-api/screens/schemas.ts'
export type { OwnLanguage } from '../../src/features/languages/schemas.ts'
export type {
  DeviceReply as PushDevice,
  OwnDevices as OwnPushDevices,
  PushKindName as PushKind,
} from '../../src/features/push/schemas.ts'
export type { CastTranslation } from '../../src/features/translation/schemas.ts'
export type {
  Cast,
  CastEmbedded,
  CastWithReplies,
  Channel,
  ChannelDehydrated,
  ChannelMember,
  EmbedUrl,
  Invite,
  Notification,
  User,
  UserDehydrated,
} from '../../src/kernel/app-api/schemas.ts'

export type Page<K extends string, T> = { readonly [key in K]: readonly T[] } & {
  readonly next: { readonly cursor: string | null }
}
