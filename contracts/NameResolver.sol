// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Resolves the names of a registry in ENS (ENSIP-10), by asking the registry's gateway (ERC-3668) and
/// believing what one of its keys has signed for this contract.
contract NameResolver {
    error OffchainLookup(
        address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData
    );
    error ResolverFunctionNotSupported();
    error InvalidSigner();
    error WrongName();
    error NotOwner();

    event SignerChanged(address indexed signer, bool isSigner);
    event UrlChanged(string url);

    bytes4 private constant ADDR = bytes4(keccak256("addr(bytes32)"));
    bytes4 private constant ERC165 = 0x01ffc9a7;
    bytes32 private constant CLAIM =
        keccak256("UserNameProof(string name,uint256 timestamp,address owner)");
    bytes32 private constant DOMAIN = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    /// The chain of what registries sign, wherever the contract is.
    uint256 private constant SIGNED_CHAIN = 1;

    address public immutable owner = msg.sender;
    string public url;
    mapping(address => bool) public isSigner;

    constructor(string memory gatewayUrl, address signer) {
        url = gatewayUrl;
        isSigner[signer] = true;
        emit UrlChanged(gatewayUrl);
        emit SignerChanged(signer, true);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    function setSigner(address signer, bool allowed) external onlyOwner {
        isSigner[signer] = allowed;
        emit SignerChanged(signer, allowed);
    }

    function setUrl(string calldata gatewayUrl) external onlyOwner {
        url = gatewayUrl;
        emit UrlChanged(gatewayUrl);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == this.resolve.selector || id == ERC165;
    }

    /// `name` as DNS spells it; of all questions about it only its address has an answer.
    function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory) {
        if (data.length < 4 || bytes4(data) != ADDR) revert ResolverFunctionNotSupported();
        string[] memory urls = new string[](1);
        urls[0] = url;
        bytes4 callback = this.resolveWithProof.selector;
        revert OffchainLookup(address(this), urls, msg.data, callback, msg.data);
    }

    /// `question` is the call of `resolve` that `answer` is for.
    function resolveWithProof(bytes calldata answer, bytes calldata question)
        external
        view
        returns (bytes memory)
    {
        (string memory name, uint256 timestamp, address holder, bytes memory signature) =
            abi.decode(answer, (string, uint256, address, bytes));
        bytes32 claim =
            keccak256(abi.encode(CLAIM, keccak256(bytes(name)), timestamp, holder));
        if (!isSigner[recover(claim, signature)]) revert InvalidSigner();
        // Another name's answer is signed as well.
        (bytes memory asked,) = abi.decode(question[4:], (bytes, bytes));
        if (keccak256(bytes(name)) != keccak256(firstLabel(asked))) revert WrongName();
        return abi.encode(holder);
    }

    function recover(bytes32 claim, bytes memory signature) private view returns (address signer) {
        if (signature.length != 65) revert InvalidSigner();
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN,
                keccak256("Farcaster name verification"),
                keccak256("1"),
                SIGNED_CHAIN,
                address(this)
            )
        );
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        signer = ecrecover(keccak256(abi.encodePacked(hex"1901", domain, claim)), v, r, s);
        if (signer == address(0)) revert InvalidSigner();
    }

    function firstLabel(bytes memory wire) private pure returns (bytes memory label) {
        uint256 length = wire.length == 0 ? 0 : uint8(wire[0]);
        if (length + 1 > wire.length) revert WrongName();
        label = new bytes(length);
        for (uint256 i = 0; i < length; i++) label[i] = wire[i + 1];
    }
}
