// The package has no types of its own.
declare module 'html-encoding-sniffer' {
  /** The name of the encoding of a document, as the Encoding standard writes it, or `defaultEncoding`. */
  export default function sniff(
    bytes: Uint8Array,
    options: {
      readonly xml?: boolean
      readonly transportLayerEncodingLabel?: string | undefined
      readonly defaultEncoding?: string
      readonly maxPrescanBytes?: number
    },
  ): string
}
