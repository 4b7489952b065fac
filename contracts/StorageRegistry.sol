// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Refunds} from "./Refunds.sol";

/// Rents units of storage to fids, also to those that nobody holds yet. When a unit runs out is for those
/// to say who read the events.
contract StorageRegistry is Refunds {
    error InvalidAmount();
    error InvalidBatchInput();
    error InvalidPayment();
    error ExceedsCapacity();

    event Rent(address indexed payer, uint256 indexed fid, uint256 units);

    /// In wei.
    uint256 public immutable unitPrice;
    uint256 public immutable maxUnits;
    uint256 public rentedUnits;

    constructor(uint256 weiPerUnit, uint256 capacity) {
        unitPrice = weiPerUnit;
        maxUnits = capacity;
    }

    function price(uint256 units) public view returns (uint256) {
        return units * unitPrice;
    }

    function rent(uint256 fid, uint256 units) external payable returns (uint256 overpayment) {
        if (units == 0) revert InvalidAmount();
        if (units > maxUnits - rentedUnits) revert ExceedsCapacity();
        overpayment = pay(units);
        take(fid, units);
        refund(overpayment);
    }

    /// Passes over those that get none.
    function batchRent(uint256[] calldata fids, uint256[] calldata units) external payable {
        if (fids.length == 0 || fids.length != units.length) revert InvalidBatchInput();
        uint256 total = 0;
        for (uint256 i = 0; i < units.length; i++) total += units[i];
        uint256 overpayment = pay(total);
        if (total > maxUnits - rentedUnits) revert ExceedsCapacity();
        for (uint256 i = 0; i < fids.length; i++) {
            if (units[i] > 0) take(fids[i], units[i]);
        }
        refund(overpayment);
    }

    function pay(uint256 units) private view returns (uint256) {
        uint256 cost = price(units);
        if (msg.value < cost) revert InvalidPayment();
        return msg.value - cost;
    }

    function take(uint256 fid, uint256 units) private {
        rentedUnits += units;
        emit Rent(msg.sender, fid, units);
    }
}
