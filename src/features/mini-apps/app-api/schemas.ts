import Type, { type Static } from 'typebox'
import { Next, User, UserDehydrated } from '../../../kernel/app-api/schemas.ts'

const optionalText = Type.Optional(Type.String())

/** The fields of a manifest, named as the rest of the app API names fields. */
const ManifestApp = Type.Object(
  {
    version: Type.String(),
    name: Type.String(),
    home_url: Type.String(),
    icon_url: Type.String(),
  },
  {
    additionalProperties: true,
    description: 'The checked fields, in snake case.',
    $comment: 'Open: a manifest may have every optional field of the published schema.',
  },
)

export const FrameApp = Type.Object(
  {
    version: Type.String(),
    image: Type.String(),
    frames_url: Type.String({ description: 'Where the app is opened.' }),
    title: Type.String(),
    manifest: Type.Object({
      account_association: Type.Object({
        header: Type.String(),
        payload: Type.String(),
        signature: Type.String(),
      }),
      miniapp: ManifestApp,
      frame: ManifestApp,
    }),
    author: Type.Optional(User),
    metadata: Type.Object({ html: Type.Object({ ogTitle: optionalText }) }),
  },
  { $id: 'FrameApp' },
)
export type FrameApp = Static<typeof FrameApp>

export const FrameCatalogReply = Type.Object({ frames: Type.Array(FrameApp), next: Next })

export const RelevantFramesReply = Type.Object({
  relevant_frames: Type.Array(
    Type.Object({
      frame: FrameApp,
      top_relevant_users: Type.Array(User),
      remaining_relevant_users: Type.Array(UserDehydrated),
    }),
  ),
})

export const SendNotificationsReply = Type.Object({
  campaign_id: Type.String(),
  success_count: Type.Integer(),
  failure_count: Type.Integer(),
  not_attempted_count: Type.Integer({
    description: 'Users who have no token for the app, or were notified too often.',
  }),
  retryable_fids: Type.Array(Type.Integer(), {
    description: 'Users who were notified too often just now.',
  }),
})

const Counts = Type.Record(Type.String(), Type.Integer())

export const CampaignsReply = Type.Object({
  notificationCampaigns: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      body: Type.String(),
      status: Type.Literal('completed'),
      created_at: Type.String(),
      queued_at: Type.String(),
      completed_at: Type.String(),
      stats: Type.Object({
        intended_recipient_notification_token_count: Type.Integer(),
        intended_recipient_app_fids: Type.Array(Type.Integer()),
        successful_sends: Type.Integer(),
        successful_sends_by_app_fid: Counts,
        total_opens: Type.Integer({
          description: 'Always 0: opens are not traced to notifications.',
        }),
        total_opens_by_app_fid: Counts,
        unique_opens: Type.Integer(),
        unique_opens_by_app_fid: Counts,
        error_breakdown: Type.Object({ delivery_errors: Counts }),
      }),
    }),
  ),
  next: Next,
})

export const TokensReply = Type.Object({
  notification_tokens: Type.Array(
    Type.Object({
      object: Type.Literal('notification_token'),
      url: Type.String(),
      token: Type.String(),
      status: Type.Enum(['enabled', 'disabled']),
      fid: Type.Integer(),
      created_at: Type.String(),
      updated_at: Type.String(),
    }),
  ),
  next: Next,
})

export const HostEventReply = Type.Object({
  event: Type.String(),
  notificationDetails: Type.Optional(Type.Object({ url: Type.String(), token: Type.String() })),
})

export const HostStateReply = Type.Object({
  notifications_enabled: Type.Array(
    Type.Object({
      domain: Type.String(),
      status: Type.Enum(['enabled', 'disabled']),
      updated_at: Type.String(),
    }),
  ),
})
