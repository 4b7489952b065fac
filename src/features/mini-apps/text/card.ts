/** What a link to a mini app shows, and what its button opens. */
export type MiniAppCard = {
  /** On the button. */
  readonly title: string
  /** Of the app. */
  readonly name: string
  readonly imageUrl: string
  readonly aspectRatio: '1:1' | '3:2'
  readonly url: string
  readonly splashImageUrl?: string
  readonly splashBackgroundColor?: string
}
