// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Stands in for ENS on a test chain: what its universal resolver says when every name has one and the
/// same resolver.
contract OneResolver {
    error OffchainLookup(
        address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData
    );
    error ResolverError(bytes errorData);

    address private immutable resolver;

    constructor(address only) {
        resolver = only;
    }

    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata)
        external
        view
        returns (bytes memory, address)
    {
        (bool ok, bytes memory result) =
            resolver.staticcall(abi.encodeWithSignature("resolve(bytes,bytes)", name, data));
        if (ok) return (abi.decode(result, (bytes)), resolver);
        if (bytes4(result) != OffchainLookup.selector) revert ResolverError(result);
        askForIt(result);
    }

    /// Clients only follow a lookup of the contract they called, so it is said once more in our name.
    function askForIt(bytes memory lookup) private view {
        bytes memory arguments = new bytes(lookup.length - 4);
        for (uint256 i = 0; i < arguments.length; i++) arguments[i] = lookup[i + 4];
        (, string[] memory urls, bytes memory callData, bytes4 callback, bytes memory extraData) =
            abi.decode(arguments, (address, string[], bytes, bytes4, bytes));
        bytes memory carried = abi.encode(callback, extraData);
        revert OffchainLookup(
            address(this), urls, callData, this.resolveCallback.selector, carried
        );
    }

    function resolveCallback(bytes calldata answer, bytes calldata carried)
        external
        view
        returns (bytes memory, address)
    {
        (bytes4 callback, bytes memory extraData) = abi.decode(carried, (bytes4, bytes));
        (bool ok, bytes memory result) =
            resolver.staticcall(abi.encodeWithSelector(callback, answer, extraData));
        if (!ok) revert ResolverError(result);
        return (abi.decode(result, (bytes)), resolver);
    }
}
