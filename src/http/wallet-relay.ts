// Wallets on other devices are reached through a relay (WalletConnect), where the operator has a project. Pages with
// wallets are told of it, and are allowed to connect to it: the only other site that they may reach.

export type WalletRelay = { readonly projectId: string; readonly url: string }

/** The relay of the settings; undefined where the operator has no project. */
export const walletRelayOf = ({
  walletConnectProjectId: projectId,
  walletConnectRelayUrl: url,
}: {
  readonly walletConnectProjectId: string | undefined
  readonly walletConnectRelayUrl: string
}): WalletRelay | undefined => (projectId === undefined ? undefined : { projectId, url })

export const allowRelay = (policy: string, relay: WalletRelay | undefined): string =>
  relay
    ? policy.replace("connect-src 'self'", `connect-src 'self' ${new URL(relay.url).origin}`)
    : policy

/** The page with what web/wallets/walletconnect reads. Settings hold nothing that has to be escaped. */
export const nameRelay = (html: string, relay: WalletRelay | undefined): string =>
  relay
    ? html.replace(
        '</head>',
        `  <meta name="rookery-walletconnect" content="${relay.projectId} ${relay.url}">\n  </head>`,
      )
    : html
