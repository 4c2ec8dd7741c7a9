"""The example of the profile `product`."""
