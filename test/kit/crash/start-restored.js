// As `npm start -- --restored` does.
process.argv.push('--restored')
await import('../../../src/main.js')
