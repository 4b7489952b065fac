const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config')

module.exports = mergeConfig(getDefaultConfig(__dirname), {
  // An app of React Native has no need of this line: its entry loads what this would.
  serializer: { getPolyfills: () => [], getModulesRunBeforeMainModule: () => [] },
})
